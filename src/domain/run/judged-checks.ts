import type { TreeId } from '../base/ids.ts';
import type { RunState } from './run.ts';

/**
 * Checks to run again when a person resumes: one that could not run says nothing of its tree, and one that a new plan brought may
 * be fixed in what it looks at beside the run branch.
 */
export const checksToRepeat = ({
  checks,
  branch,
}: RunState): readonly { readonly tree: TreeId; readonly check: string }[] =>
  Object.values(checks)
    .filter(({ outcome, tree }) => outcome !== 'passed' && (outcome === 'could-not-run' || tree === branch?.tree))
    .map(({ tree, name }) => ({ tree, check: name }));
