import { type TaskId, taskId } from '../base/ids.ts';
import { allTasks, type PlannedTask, type WavesOfPlan } from '../plan/plan.ts';
import { type RunState, selectedWaves } from '../run/run.ts';
import { matches, pattern } from '../scope/pattern.ts';
import { isOpenRecord, mayReceive } from './acts.ts';
import {
  type BoardRecord,
  type Capability,
  isOfAgent,
  type Post,
  type RecordRoute,
  type RecordTarget,
  recordsOf,
} from './board.ts';

export const isCapability = (target: string): target is Capability => target.startsWith('capability:');

type Routed = { readonly to: RecordTarget; readonly route?: RecordRoute };
type Boards = Pick<RunState, 'board' | 'tasks' | 'waves' | 'only'> & { readonly plan: WavesOfPlan };

/**
 * Finds who gets a record that waits for somebody. A task that is named gets it, if it can still act. A capability goes to a task of
 * the first open wave that has one with it: first to a task that the plan prefers, then to one that settled a record for it before, then
 * to the one with the fewest open records, in the order of the plan. `owner` is the task that owns what the record refers to. Never to
 * its author. Without such a task a person gets it.
 */
export function routeOf(
  state: Boards,
  { target, references = [] }: Pick<Post, 'target' | 'references'>,
  author: TaskId | null,
): Routed {
  if (target === 'person' || target === 'all') return { to: target };
  // a task of that name can be addressed
  if (target === 'owner' && state.tasks[taskId(target)] === undefined) {
    const owners = ownersOf(state, references).filter(({ task }) => task.id !== author);
    const [first] = firstWave(state, owners, ({ task }) => task);
    return first === undefined
      ? { to: 'person', route: { asked: target, reason: 'no-owner' } }
      : { to: first.task.id, route: { asked: target, reason: first.reason } };
  }
  return isCapability(target) ? toCapable(state, target, author) : toTask(state, taskId(target));
}

function toCapable(state: Boards, target: Capability, author: TaskId | null): Routed {
  const name = target.slice('capability:'.length);
  const able = allTasks(state.plan).filter((task) => task.id !== author && task.capabilities.includes(name));
  const candidates = firstWave(state, able, (task) => task);
  const [first] = candidates;
  if (first === undefined) return { to: 'person', route: { asked: target, reason: 'no-capability' } };
  const preferred = preferredFor(state, name).find((id) => candidates.some((task) => task.id === id));
  const wanted = candidates.find(({ id }) => id === preferred);
  if (wanted !== undefined) return { to: wanted.id, route: { asked: target, reason: 'preferred' } };
  const settlers = new Set<string>();
  const open = new Map<string, number>();
  for (const record of recordsOf(state)) {
    if (isOpenRecord(record)) open.set(record.target, (open.get(record.target) ?? 0) + 1);
    else if (record.route?.asked === target && isDone(record)) settlers.add(record.target);
  }
  const proven = candidates.find(({ id }) => settlers.has(id));
  if (proven !== undefined) return { to: proven.id, route: { asked: target, reason: 'demonstrated' } };
  const [least = first] = candidates.toSorted((one, other) => (open.get(one.id) ?? 0) - (open.get(other.id) ?? 0));
  return { to: least.id, route: { asked: target, reason: 'least-open' } };
}

/** The tasks that the plan prefers for a capability, the first one first. An agent names the capability. */
const preferredFor = ({ plan }: Boards, name: string): readonly string[] => {
  const preferred = plan.board?.preferred ?? {};
  return Object.hasOwn(preferred, name) ? (preferred[name] ?? []) : [];
};

function toTask(state: Boards, task: TaskId): Routed {
  if (state.tasks[task] === undefined) return { to: 'person', route: { asked: task, reason: 'no-task' } };
  return mayReceive(state, task) ? { to: task } : { to: 'person', route: { asked: task, reason: 'task-over' } };
}

type Owner = { readonly task: PlannedTask; readonly reason: 'owns-path' | 'promotes-component' };

/**
 * Tasks that own a path of these references, and then those that promote a component of them, in the order of the plan. A task without
 * `owns` owns nothing by name. Words are never compared.
 */
function ownersOf({ plan }: Boards, references: readonly string[]): readonly Owner[] {
  const named = (type: string): readonly string[] =>
    references.flatMap((one) => (one.startsWith(type) ? [one.slice(type.length)] : []));
  const [paths, components] = [named('path:'), named('component:')];
  const tasks = allTasks(plan);
  const owns = ({ owns: patterns }: PlannedTask): boolean =>
    paths.length > 0 && (patterns ?? []).map(pattern).some((one) => paths.some((path) => matches(one, path)));
  const promotes = ({ promotes: levels = {} }: PlannedTask): boolean =>
    components.some((component) => Object.hasOwn(levels, component));
  return [
    ...tasks.filter(owns).map((task) => ({ task, reason: 'owns-path' as const })),
    ...tasks
      .filter((task) => promotes(task) && !owns(task))
      .map((task) => ({ task, reason: 'promotes-component' as const })),
  ];
}

/**
 * Finds the task that gets a question next, because the agent of its task has not acknowledged it: another owner of what it refers to,
 * or else the same task again. Only a task of the same wave, so that the question still blocks that wave. `again` has no other owner.
 */
export function nextOwner(state: Boards, { target, references = [], from }: BoardRecord & { readonly target: TaskId }) {
  const wave = state.tasks[target]?.wave;
  const author = isOfAgent(from) ? from.task : null;
  const other = ownersOf(state, references).find(
    ({ task: { id } }) => id !== target && id !== author && state.tasks[id]?.wave === wave && mayReceive(state, id),
  );
  return other === undefined
    ? ({ to: target, reason: 'again' } as const)
    : ({ to: other.task.id, reason: other.reason } as const);
}

/** Of these, those whose tasks are of the first open wave that has any which can still act. */
function firstWave<T>(state: Boards, all: readonly T[], taskOf: (one: T) => PlannedTask): readonly T[] {
  const able = all.filter((one) => mayReceive(state, taskOf(one).id));
  const waves = selectedWaves(state).filter(({ closed }) => !closed);
  const found = waves.map(({ index }) => able.filter((one) => state.tasks[taskOf(one).id]?.wave === index));
  return found.find((some) => some.length > 0) ?? [];
}

const isDone = ({ status }: BoardRecord): boolean => status === 'resolved' || status === 'answered';
