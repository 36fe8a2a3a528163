import type { TaskId } from '../base/ids.ts';
import { err, ok } from '../base/result.ts';
import type { RequestAnswer } from '../decide/answer.ts';
import { leftToLand } from '../landing/undo.ts';
import type { By } from '../ledger/requests.ts';
import { dependentsOf } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import type { TaskState } from '../run/task.ts';

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

/** Of the runs that have ended, only these are landed by a later `tidegate land`. */
const mayStillLand = ({ ended }: RunState): boolean => ended === 'done';

const isLandingUnderWay = ({ taps, landing }: RunState): boolean =>
  taps.land?.status === 'approved' && !['refused', 'landed', 'offered', 'undone'].includes(landing.status);
