import type { TaskId } from '../base/ids.ts';
import { allTasks, type PlannedTask } from '../plan/plan.ts';
import { type RunState, selectedWaves } from '../run/run.ts';
import { isOpenRecord, mayReceive } from './acts.ts';
import {
  type BoardRecord,
  type Capability,
  type PostTarget,
  type RecordRoute,
  type RecordTarget,
  recordsOf,
} from './board.ts';

export const isCapability = (target: string): target is Capability => target.startsWith('capability:');

type Routed = { readonly to: RecordTarget; readonly route?: RecordRoute };
type Boards = Pick<RunState, 'board' | 'tasks' | 'plan' | 'waves' | 'only'>;

/**
 * Finds who gets a record that waits for somebody. A task that is named gets it, if it can still act. A capability goes to a task of
 * the first open wave that has one with it: first to a task that settled a record for it before, then to the one with the fewest open
 * records, in the order of the plan. Never to its author. Without such a task a person gets it.
 */
export function routeOf(state: Boards, target: PostTarget, author: TaskId | null): Routed {
  if (target === 'person' || target === 'all') return { to: target };
  if (!isCapability(target)) return toTask(state, target);
  const name = target.slice('capability:'.length);
  const able = allTasks(state.plan).filter((task) => task.id !== author && task.capabilities.includes(name));
  const candidates = firstWave(state, able);
  const [first] = candidates;
  if (first === undefined) return { to: 'person', route: { asked: target, reason: 'no-capability' } };
  const records = recordsOf(state);
  const settled = (task: PlannedTask): number =>
    records.filter((record) => record.route?.asked === target && isSettledBy(record, task.id)).length;
  const open = (task: PlannedTask): number =>
    records.filter((record) => record.target === task.id && isOpenRecord(record)).length;
  const proven = candidates.find((task) => settled(task) > 0);
  if (proven !== undefined) return { to: proven.id, route: { asked: target, reason: 'demonstrated' } };
  const [least = first] = candidates.toSorted((one, other) => open(one) - open(other));
  return { to: least.id, route: { asked: target, reason: 'least-open' } };
}

function toTask(state: Boards, task: TaskId): Routed {
  if (state.tasks[task] === undefined) return { to: 'person', route: { asked: task, reason: 'no-task' } };
  return mayReceive(state, task) ? { to: task } : { to: 'person', route: { asked: task, reason: 'task-over' } };
}

/** Of these tasks, those of the first open wave that has any which can still act. */
function firstWave(state: Boards, tasks: readonly PlannedTask[]): readonly PlannedTask[] {
  const able = tasks.filter(({ id }) => mayReceive(state, id));
  const waves = selectedWaves(state).filter(({ closed }) => !closed);
  const found = waves.map(({ index }) => able.filter(({ id }) => state.tasks[id]?.wave === index));
  return found.find((some) => some.length > 0) ?? [];
}

const isSettledBy = ({ target, status }: BoardRecord, task: TaskId): boolean =>
  target === task && (status === 'resolved' || status === 'answered');
