import { createHash } from 'node:crypto';
import type { TaskId, TreeId } from '../base/ids.ts';
import type { ResultReuse } from '../ledger/relaunch-events.ts';
import { canonicalJson, type FrozenPlan, type PlannedTask, plannedById } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { endedAttempt, snapshotOf } from '../run/task.ts';

/**
 * Returns the fingerprint of an attempt: the SHA-256 of everything that its result depends on. That is the task as planned (its
 * directive, agent, exit contract, proofs and skills included), what else the plan tells its agent, and the tree that it starts from.
 */
export function fingerprintOf({ forbid, focus, block }: FrozenPlan, task: PlannedTask, base: TreeId): string {
  return createHash('sha256').update(canonicalJson({ task, forbid, focus, block, base })).digest('hex');
}

/** The fingerprint that an attempt of the task would start with now. Null when its base is unknown, or what it needs has changed since. */
export function fingerprintNow(state: RunState, plan: FrozenPlan, id: TaskId): string | null {
  const made = state.tasks[id]?.made;
  const planned = plannedById(plan, id);
  if (made === undefined || planned === undefined || planned.closes !== undefined) return null;
  const isSame = made.of.every(({ task, snapshot }) => {
    const need = state.tasks[task];
    return need !== undefined && snapshotOf(need)?.commit === snapshot;
  });
  return isSame ? fingerprintOf(plan, planned, made.tree) : null;
}

/** Returns the result of a ready task as one that counts again under this plan. Null when its fingerprint is unknown or another one. */
export function reuseOf(state: RunState, plan: FrozenPlan, id: TaskId): ResultReuse | null {
  const task = state.tasks[id];
  if (task?.progress.status !== 'ready' && task?.progress.status !== 'done') return null;
  const was = endedAttempt(task)?.fingerprint;
  const is = fingerprintNow(state, plan, id);
  return was === undefined || was !== is ? null : { task: id, snapshot: task.progress.snapshot.commit, was, is };
}
