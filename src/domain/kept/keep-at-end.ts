import type { Finding } from '../findings/finding.ts';
import { decisionVersions } from '../gates/versions.ts';
import type { RunEvent } from '../ledger/events.ts';
import { liveAttempt, type TaskState } from '../run/task.ts';
import { type KeptPath, wholeWorkspace } from './kept-paths.ts';

type AttemptEnded = RunEvent & { readonly type: 'attempt-ended' };
type Left = Pick<AttemptEnded, 'snapshot' | 'snapshotProblem'>;

/** Decides which paths of its workspace an attempt that ends now leaves in no snapshot. `task` is as it was before the end. */
export function keepAtEnd(
  task: TaskState | undefined,
  ended: Left & Pick<AttemptEnded, 'attempt'>,
): Pick<AttemptEnded, 'kept' | 'version'> {
  const began = task?.progress.status === 'running' && liveAttempt(task)?.id === ended.attempt;
  return { kept: keptPaths(ended, began), version: decisionVersions.kept };
}

/** Without a snapshot everything counts, unless no agent can have been at work. */
function keptPaths({ snapshot, snapshotProblem }: Left, began: boolean): readonly KeptPath[] {
  if (snapshot !== null)
    return snapshot.refused.flatMap((why) =>
      why.where !== undefined && holdsContent(why) ? [{ path: why.where, why }] : [],
    );
  const mayHoldWork = snapshotProblem !== null && snapshotProblem.rule !== 'no-workspace';
  if (!began && !mayHoldWork) return [];
  const because = snapshotProblem === null ? {} : { because: snapshotProblem };
  return [{ path: wholeWorkspace, why: { rule: 'snapshot-present', where: wholeWorkspace, ...because } }];
}

/** Not a FIFO; not two spellings, which the snapshot holds both; not a submodule of which only the commit differs. */
const holdsContent = (because: Finding): boolean =>
  because.rule === 'submodule-changed'
    ? because.files.some((file) => file !== because.where)
    : because.rule !== 'special-file' && because.rule !== 'two-spellings';
