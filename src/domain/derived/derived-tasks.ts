import type { TaskId } from '../base/ids.ts';
import { byName } from '../base/result.ts';
import type { SnapshotEvidence } from '../gates/evidence.ts';
import type { DerivedTaskEvent, RepairInputs, RepairSubject } from '../ledger/derived-task-events.ts';
import { type PlannedTask, plannedById } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { type Hold, plannedTask, type TaskState } from '../run/task.ts';

/** A task that Tidegate made during the run, with the decision that made it. */
export type DerivedTask = Omit<Extract<DerivedTaskEvent, { type: 'task-derived' }>, 'type'>;

/** Returns a task of the plan in force, a closure role, or a derived task. */
export const plannedIn = (state: Pick<RunState, 'plan' | 'derived'>, id: TaskId): PlannedTask | undefined =>
  plannedById(state.plan, id) ?? state.derived?.[id]?.planned;

/** Adds a derived task to a run. */
export function withDerived(state: RunState, { type: _, ...derived }: DerivedEvent): RunState {
  const task = { ...plannedTask(derived.planned, derived.wave), granted: derived.granted ?? [] };
  return {
    ...state,
    derived: byName(state.derived, { [derived.task]: derived }),
    tasks: byName(state.tasks, { [derived.task]: task }),
  };
}

type DerivedEvent = Extract<DerivedTaskEvent, { type: 'task-derived' }>;

/**
 * Tells whether a derived task still stands for the tasks that it was made for: each is held as it was then. Once a person retried,
 * reworked, edited or dropped one of them, its work is void.
 */
export function isStanding(state: RunState, { standsFor, inputs }: DerivedTask): boolean {
  return standsFor.every((id) => {
    const task = state.tasks[id];
    const held = task === undefined ? null : heldForRepair(task);
    return held !== null && isSamePair({ ...held.repair, snapshot: held.snapshot.commit }, inputs);
  });
}

/** The same snapshot on the same work of the others. */
export const isSamePair = (a: Pair, b: Pair): boolean =>
  a.snapshot === b.snapshot && a.onto === b.onto && a.failing === b.failing;

type Pair = Pick<RepairInputs, 'snapshot' | 'onto' | 'failing'>;

/** A hold that a resolver may repair, and the snapshot that is held. */
export type RepairHold = {
  readonly hold: Extract<Hold, { readonly because: 'conflict' | 'check' }>;
  readonly repair: RepairSubject;
  readonly snapshot: SnapshotEvidence;
};

/** Null unless the task is held for something that a resolver may repair. */
export function heldForRepair({ progress }: TaskState): RepairHold | null {
  if (progress.status !== 'held') return null;
  const { hold, snapshot } = progress;
  if (hold.because !== 'conflict' && hold.because !== 'check') return null;
  const { repair } = hold;
  return repair === undefined ? null : { hold, repair, snapshot };
}

/** Tells whether a task was derived and stands for nothing any more. */
export function isVoid(state: RunState, id: TaskId): boolean {
  const derived = state.derived?.[id];
  return derived !== undefined && !isStanding(state, derived);
}

/** Derived tasks of a wave that stand for tasks of it. */
export const derivedOfWave = (state: RunState, wave: number): readonly TaskState[] =>
  Object.values(state.derived ?? {}).flatMap((derived) =>
    derived.wave === wave && isStanding(state, derived) ? (state.tasks[derived.task] ?? []) : [],
  );

/** Derived tasks of a wave that people see: those that stand for a task, and those whose work was merged for one. */
export const derivedToShow = (state: RunState, wave: number): readonly TaskState[] =>
  Object.values(state.derived ?? {}).flatMap((derived) => {
    const task = state.tasks[derived.task];
    const isShown = task !== undefined && (task.progress.status === 'done' || isStanding(state, derived));
    return derived.wave === wave && isShown ? [task] : [];
  });

/** The derived tasks that were made for a task, in order, whether they stand for it or not. */
export const derivedFor = (state: Pick<RunState, 'derived'>, task: TaskId): readonly DerivedTask[] =>
  Object.values(state.derived ?? {}).filter(({ standsFor }) => standsFor.includes(task));

/** The derived task whose result is integrated instead of that of a held task. Null when there is none. */
export function standInFor(state: RunState, task: TaskId): (TaskState & { readonly progress: ReadyProgress }) | null {
  for (const derived of derivedFor(state, task)) {
    const made = state.tasks[derived.task];
    if (made === undefined || made.progress.status !== 'ready' || !isStanding(state, derived)) continue;
    return { ...made, progress: made.progress };
  }
  return null;
}

type ReadyProgress = TaskState['progress'] & { readonly status: 'ready' };

/** The tasks whose budget pays for a task: itself, and for a derived task those that it stands for, with all made for them. */
export function budgetGroup(state: Pick<RunState, 'derived'>, task: TaskId): readonly TaskId[] {
  if (state.derived === undefined) return [task];
  const owners = state.derived[task]?.standsFor ?? [task];
  return [...new Set([...owners, ...owners.flatMap((owner) => derivedFor(state, owner).map((one) => one.task))])];
}

/** The tasks of the group that have a limit of their own. */
export const budgetOwners = (state: Pick<RunState, 'derived'>, task: TaskId): readonly TaskId[] =>
  state.derived?.[task]?.standsFor ?? [task];
