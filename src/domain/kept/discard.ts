import type { AttemptId, RunId, TaskId } from '../base/ids.ts';
import { bytesOfShown } from '../base/paths.ts';
import { err, ok, type Result } from '../base/result.ts';
import { shellPath } from '../base/safe-text.ts';
import type { RequestAnswer } from '../decide/answer.ts';
import type { Finding } from '../findings/finding.ts';
import { decisionVersions } from '../gates/versions.ts';
import { leftToLand } from '../landing/undo.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { By } from '../ledger/requests.ts';
import { dependentsOf } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { liveAttempt, type TaskState } from '../run/task.ts';
import { type Kept, type KeptPath, wholeWorkspace } from './kept.ts';

type Keeping = Pick<RunState, 'kept'>;

export const hasKept = ({ kept }: Keeping, attempt: AttemptId): boolean => kept.some((one) => one.attempt === attempt);

/** Lists the kept files of a task that these paths name: each path itself and everything kept below it. Refuses a path that matches nothing. */
export function discardedBy(
  state: Keeping,
  task: TaskId,
  paths: readonly string[],
): Result<readonly Kept[], { readonly path: string }> {
  const kept = state.kept.filter((one) => one.task === task);
  const none = paths.find((path) => !kept.some((one) => covers(path, one.path)));
  if (none !== undefined) return err({ path: none });
  return ok(kept.filter((one) => paths.some((path) => covers(path, one.path))));
}

export const discardCommand = (run: RunId | string, { task, path }: { readonly task: string; readonly path: string }) =>
  `tidegate clean --discard ${run}/${task} ${shellPath(path)}`;

function covers(path: string, kept: string): boolean {
  const plain = rawText(path)
    .replace(/^(?:\.\/)+(?=.)/, '')
    .replace(/\/+$/, '');
  return plain === wholeWorkspace || plain === rawText(kept) || rawText(kept).startsWith(`${plain}/`);
}

/** One character for each byte of a path. */
const rawText = (shown: string): string =>
  Array.from(bytesOfShown(shown) ?? [], (byte) => String.fromCharCode(byte)).join('');

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

/** Without a snapshot the whole workspace is kept, unless no agent can have run in it. */
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

/** A person discards by name what a run that has ended did not land. Snapshots and refs stay for `rescue`. */
export function discard(state: RunState, { id, progress }: TaskState, by: By): RequestAnswer {
  if (progress.status === 'dropped') return ok([]);
  if (state.undo.landed.includes(id)) return err({ rule: 'task-landed', task: id });
  if (mayStillLand(state)) {
    if (isLandingUnderWay(state)) return err({ rule: 'branch-moving' });
    const dependents = dependentsOf(state.plan, id);
    const task = leftToLand(state).find((other) => dependents.includes(other));
    if (task !== undefined) return err({ rule: 'need-not-chosen', task, need: id });
  }
  return ok([{ type: 'task-dropped', task: id, by }]);
}

/** Merged, and discarded by name since: later landings are made without them. */
export const discarded = ({ waves, tasks, undo }: RunState): readonly TaskId[] =>
  waves
    .flatMap(({ rounds }) => rounds.flatMap((round) => (round.status === 'merged' ? round.steps : [])))
    .map(({ task }) => task)
    .filter((task) => tasks[task]?.progress.status === 'dropped' && !undo.landed.includes(task));

/** True for an ended run that a later `tidegate land` can still land. */
const mayStillLand = ({ ended }: RunState): boolean => ended === 'done';

const isLandingUnderWay = ({ taps, landing }: RunState): boolean =>
  taps.land?.status === 'approved' && !['refused', 'landed', 'offered', 'undone'].includes(landing.status);
