import type { TaskId } from '../base/ids.ts';
import type { FrozenPlan, PlannedTask, PlannedWave } from '../plan/plan.ts';
import { intersect, pattern } from './pattern.ts';

/**
 * A lock means: one task writes the path first, the rest read it. So every task of the wave that could see the path
 * needs the one that locks it, and starts from its snapshot. A task that the locker itself needs stays before it.
 */
export function withLockNeeds(plan: FrozenPlan): FrozenPlan {
  return { ...plan, waves: plan.waves.map(orderByLocks) };
}

function orderByLocks(wave: PlannedWave): PlannedWave {
  const lockers = wave.tasks.filter((task) => task.locks.length > 0);
  if (lockers.length === 0) return wave;
  const needs = new Map(wave.tasks.map((task) => [task.id, new Set(task.needs)]));
  for (const locker of lockers)
    for (const task of wave.tasks)
      if (task.id !== locker.id && couldSee(task, locker) && !reaches(needs, locker.id, task.id))
        needs.get(task.id)?.add(locker.id);
  return { ...wave, tasks: wave.tasks.map((task) => ({ ...task, needs: [...(needs.get(task.id) ?? [])].sort() })) };
}

/** A task without `owns` works on everything that is left, so it is taken to build on every lock. */
function couldSee(task: PlannedTask, locker: PlannedTask): boolean {
  if (task.owns === null) return true;
  const seen = [...task.owns, ...task.shares, ...task.reads].map(pattern);
  return locker.locks.map(pattern).some((lock) => seen.some((one) => intersect(one, lock) !== null));
}

function reaches(needs: ReadonlyMap<TaskId, ReadonlySet<TaskId>>, from: TaskId, to: TaskId): boolean {
  const open = [from];
  const seen = new Set(open);
  for (const id of open) {
    if (id === to) return true;
    for (const need of needs.get(id) ?? []) {
      if (!seen.has(need)) open.push(need);
      seen.add(need);
    }
  }
  return false;
}
