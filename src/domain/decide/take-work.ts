import type { CommitId, TaskId } from '../base/ids.ts';
import { err, ok } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import { passes } from '../gates/verdict.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import { dependentsOf } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { endedAttempt, snapshotOf, type TaskState } from '../run/task.ts';
import type { RequestAnswer } from './answer.ts';

type Accept = RequestEvent & { readonly type: 'requested-accept' };
type Edit = RequestEvent & { readonly type: 'requested-edit' };

/** A person takes a snapshot as it is. Refused where that changes nothing, and for any snapshot but the newest. */
export function acceptSnapshot(state: RunState, task: TaskState, { snapshot, by }: Accept): RequestAnswer {
  const { id, progress } = task;
  const { status } = progress;
  const attempt = endedAttempt(task);
  if (attempt?.acceptance?.snapshot === snapshot && snapshotOf(task)?.commit === snapshot) return ok([]);
  if (attempt === null || (status !== 'held' && status !== 'failed'))
    return err({ rule: 'task-status', task: id, action: 'accept', status });
  const unfit = unfitToTake(task, snapshot);
  if (unfit !== null) return err(unfit);
  const opposed = (attempt.monitored ?? []).some(({ gate, outcome }) => standsFor.has(gate) && outcome !== 'pass');
  if (!opposed) return err({ rule: 'accept-needless', run: state.run, task: id });
  return ok([{ type: 'task-accepted', task: id, attempt: attempt.id, snapshot, by }]);
}

/** The gates that an acceptance replaces. */
const standsFor: ReadonlySet<string> = new Set(['exit', 'handoff']);

/** A person changed a snapshot by hand. The merger takes the new one; until then the request waits. */
export function editSnapshot(state: RunState, task: TaskState, { from, copy }: Edit): RequestAnswer {
  if (endedAttempt(task)?.acceptance?.copy === copy) return ok(restarts(state, task.id));
  const unfit = unfitToEdit(task, from);
  return unfit === null ? ok('later') : err(unfit);
}

/** Why a person cannot change this snapshot of a task by hand; null when they can. */
export function unfitToEdit(task: TaskState, from: CommitId): Finding | null {
  const { status } = task.progress;
  if (task.readOnly) return { rule: 'merges-nothing', task: task.id };
  if (status !== 'held' && status !== 'failed' && status !== 'ready')
    return { rule: 'task-status', task: task.id, action: 'edit', status };
  return unfitToTake(task, from);
}

function unfitToTake(task: TaskState, snapshot: CommitId): Finding | null {
  const newest = snapshotOf(task)?.commit;
  if (newest === undefined) return { rule: 'no-snapshot', task: task.id };
  if (newest !== snapshot) return { rule: 'snapshot-outdated', task: task.id, named: snapshot, newest };
  return passes(endedAttempt(task)?.dispatched ?? []) ? null : { rule: 'work-unproven', task: task.id };
}

/** Tasks that are held only for the sake of this one, or have not begun: they start on its new result. */
export function restarts(state: RunState, task: TaskId): readonly RunEvent[] {
  const by = { who: 'tidegate', via: 'policy' } as const;
  return dependentsOf(state.plan, task).flatMap((id): readonly RunEvent[] => {
    const progress = state.tasks[id]?.progress;
    const waits = progress?.status === 'held' && progress.hold.because === 'needs';
    const fresh = progress?.status === 'waiting' && progress.next.from === 'base' && progress.next.halt === null;
    return waits || fresh ? [{ type: 'task-retried', task: id, by }] : [];
  });
}
