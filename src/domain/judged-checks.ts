import type { RunState } from './run.ts';

/**
 * A check that could not run says nothing of its tree, and one that a new plan brought may be mended in what it looks at
 * beside the run branch: a person who resumes wants both tried again.
 */
export const judgedChecks = ({ checks, branch }: RunState): RunState['checks'] =>
  Object.fromEntries(
    Object.entries(checks).filter(
      ([, { outcome, tree }]) => outcome === 'passed' || (outcome !== 'could-not-run' && tree !== branch?.tree),
    ),
  );
