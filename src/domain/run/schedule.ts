import type { TaskId } from '../base/ids.ts';
import { derivedOfWave, isVoid, standInFor } from '../derived/derived-tasks.ts';
import type { Finding } from '../findings/finding.ts';
import { leftToLand } from '../landing/undo.ts';
import type { RunOrder } from '../ledger/requests.ts';
import { allTasks, closureOf, type FrozenPlan, type PlannedTask, plannedById } from '../plan/plan.ts';
import { claimsOf } from '../scope/claims.ts';
import { mayRunBeside } from '../scope/ownership.ts';
import { intersect } from '../scope/pattern.ts';
import { isOverBudget } from './costs.ts';
import { currentWave, type RunState, selectedWaves, tasksOfWave, type WaveState } from './run.ts';
import { countsAsDone, isResolved, snapshotOf, type TaskState } from './task.ts';

export const isLive = (task: TaskState): boolean =>
  task.progress.status === 'launching' || task.progress.status === 'running';

/** Tasks that may start now: those that a person selected, then the one with the longest path behind it. */
export function startable(state: RunState): readonly TaskState[] {
  const wave = currentWave(state);
  const judges = landingJudges(state).filter((role) => isStartable(state, role));
  if (wave === undefined) return judges;
  const waves =
    state.plan.schedule === 'eager' ? selectedWaves(state).filter((later) => later.index >= wave.index) : [wave];
  const paths = remainingPaths(state.plan);
  const tasks = waves
    .flatMap((open) => [
      ...tasksOfWave(state, open.index),
      ...derivedOfWave(state, open.index),
      ...openRoles(state, open),
    ])
    .filter((task) => isStartable(state, task) && (task.wave === wave.index || isEarlyEnough(state, task)))
    .toSorted(
      (a, b) =>
        Number(isSelected(b)) - Number(isSelected(a)) ||
        (paths.get(b.id) ?? 0) - (paths.get(a.id) ?? 0) ||
        priority(state, b) - priority(state, a),
    );
  return [...judges, ...tasks];
}

const isSelected = ({ progress }: TaskState): boolean =>
  progress.status === 'waiting' && progress.next.relaunched !== undefined;

/** Closure roles that were opened for the landing as it is rebuilt now. */
const landingJudges = ({ tasks, landing }: RunState): readonly TaskState[] =>
  landing.status === 'observed' && landing.rebuilt !== null
    ? Object.values(tasks).filter(({ about }) => about?.landing === true && about.tree === landing.rebuilt?.tree)
    : [];

/** Closure roles that were opened for the candidate of the wave. */
function openRoles(state: RunState, { index, rounds }: WaveState): readonly TaskState[] {
  const last = rounds.at(-1);
  // an abandoned round has no candidate any more
  const isCandidate = last?.status === 'built' || last?.status === 'completed';
  return closureOf(state.plan, index).flatMap(({ id }) => {
    const role = state.tasks[id];
    if (role?.about === undefined || role.about.landing === true) return [];
    return isCandidate && role.about.round === last?.round ? [role] : [];
  });
}

function isStartable(state: RunState, task: TaskState): boolean {
  if (task.progress.status !== 'waiting' || task.progress.next.halt !== null) return false;
  if (launchHalt(state, task.wave) !== null) return false;
  if (state.waves[task.wave]?.approval === null || isOverBudget(state, task)) return false;
  return needsOfTask(state, task).every((need) => isMet(state, need));
}

/** True when the work of a needed task is there: its own, or that of a derived task that stands for it. */
export const isMet = (state: RunState, need: TaskId): boolean =>
  countsAsDone(state.tasks[need]) || standInFor(state, need) !== null;

/** A needed task whose finished work is not the work that the base of this task holds; null when there is none. */
export function changedNeed(state: RunState, { made }: TaskState): TaskId | null {
  const changed = (made?.of ?? []).find(({ task, tree }) => {
    const need = state.tasks[task];
    if (need === undefined || tree === undefined || plannedById(state.plan, task) === undefined) return false;
    const isFinished = need.progress.status === 'ready' || need.progress.status === 'done';
    return isFinished && standInFor(state, task) === null && snapshotOf(need)?.tree !== tree;
  });
  return changed?.task ?? null;
}

const haltsOfTasks = new WeakMap<RunState['tasks'], ReadonlyMap<number, LaunchHalt>>();

type LaunchHalt = { readonly task: TaskId; readonly because: Finding };

/**
 * The failed launch that halts a wave: nothing of it starts until a person resumes the run, or retries or drops that task. Null when
 * there is none. A task whose needs do not fit together waits alone.
 */
export function launchHalt(state: RunState, wave: number): LaunchHalt | null {
  const halts = haltsOfTasks.get(state.tasks) ?? findHalts(state);
  haltsOfTasks.set(state.tasks, halts);
  return halts.get(wave) ?? null;
}

function findHalts(state: RunState): ReadonlyMap<number, LaunchHalt> {
  const halts = new Map<number, LaunchHalt>();
  for (const { id, wave, progress } of Object.values(state.tasks)) {
    const halt = progress.status === 'waiting' ? progress.next.halt : null;
    // a derived task that stands for nothing any more never starts again
    if (halt?.rule === 'launch-failed' && !halts.has(wave) && !isVoid(state, id))
      halts.set(wave, { task: id, because: halt });
  }
  return halts;
}

/** The needs of a task within this run: with `--wave`, phase 000 has verified that the waves before are closed. */
export function needsOfTask(state: RunState, task: TaskState): readonly TaskId[] {
  const needs = plannedById(state.plan, task.id)?.needs ?? [];
  const selected = new Set(selectedWaves(state).map((wave) => wave.index));
  return needs.filter((need) => selected.has(state.tasks[need]?.wave ?? -1));
}

/** True when there is a proven snapshot for a task: its own, or that of a derived task that stands for it. */
export const isReadyToMerge = (state: RunState, task: TaskState): boolean =>
  task.progress.status === 'ready' || standInFor(state, task.id) !== null;

/** True when a task may go into a round: it is ready, and so is everything that it needs and that is not merged yet. */
export function mayIntegrate(state: RunState, task: TaskState): boolean {
  const stands = (id: TaskId): boolean => {
    const need = state.tasks[id];
    if (need === undefined) return true;
    const { status } = need.progress;
    return status === 'merged' || status === 'done' || mayIntegrate(state, need);
  };
  return isReadyToMerge(state, task) && needsOfTask(state, task).every(stands);
}

/** Eager: what it owns and reads is disjoint from every unresolved task of earlier waves. It stays unmerged until they are closed. */
const isEarlyEnough = (state: RunState, task: TaskState): boolean => inTheWay(state, task) === undefined;

/** The first open task of an earlier wave that this one may not run beside. */
export const inTheWay = (state: RunState, task: TaskState): TaskState | undefined =>
  Object.values(state.tasks).find(
    (other) => other.wave < task.wave && !isResolved(other) && !mayRunBeside(state.plan, task.id, other.id),
  );

/** Waits for something that will not come by itself: a failed, held or dropped need, a failed launch in its wave, or money. */
export function isBlocked(state: RunState, task: TaskState): boolean {
  if (task.progress.status !== 'waiting') return false;
  if (task.progress.next.halt !== null || launchHalt(state, task.wave) !== null) return true;
  return isOverBudget(state, task) || blockingNeed(state, task) !== null;
}

export function blockingNeed(state: RunState, task: TaskState): TaskId | null {
  const blocking = needsOfTask(state, task).find((need) => {
    const needed = state.tasks[need];
    if (needed === undefined) return true;
    const isLost = ['failed', 'held', 'dropped'].includes(needed.progress.status) && !isMet(state, need);
    return isLost || isBlocked(state, needed);
  });
  return blocking ?? null;
}

const priority = (state: RunState, task: TaskState): number => plannedById(state.plan, task.id)?.priority ?? 0;

const pathsOfPlan = new WeakMap<FrozenPlan, ReadonlyMap<TaskId, number>>();

/** For each task the number of tasks on the longest chain that waits for it. A plan never changes: measured once. */
function remainingPaths(plan: FrozenPlan): ReadonlyMap<TaskId, number> {
  const lengths = pathsOfPlan.get(plan) ?? measurePaths(plan);
  pathsOfPlan.set(plan, lengths);
  return lengths;
}

function measurePaths(plan: FrozenPlan): ReadonlyMap<TaskId, number> {
  const tasks = plan.waves.flatMap((wave) => wave.tasks);
  const dependents = new Map<TaskId, PlannedTask[]>();
  for (const task of tasks)
    for (const need of task.needs) dependents.set(need, [...(dependents.get(need) ?? []), task]);
  const lengths = new Map<TaskId, number>();
  const measure = (id: TaskId): number => {
    const cached = lengths.get(id);
    if (cached !== undefined) return cached;
    const length = 1 + Math.max(0, ...(dependents.get(id) ?? []).map((task) => measure(task.id)));
    lengths.set(id, length);
    return length;
  };
  for (const task of tasks) measure(task.id);
  return lengths;
}

/**
 * Warnings before a run starts beside others on its branch: that the same plan is live already, and which tasks
 * may write what a task of another run may write too. It is allowed; whichever lands second has to fit.
 */
export function warningsBeside(
  order: Pick<RunOrder, 'plan' | 'hash' | 'target'>,
  runs: readonly RunState[],
): readonly Finding[] {
  return runs
    .filter(({ ended, target }) => ended === null && target.branch === order.target.branch)
    .flatMap((other) =>
      other.hash === order.hash ? [{ rule: 'plan-live', run: other.run } as const] : overlapsWith(order, other),
    );
}

/** One for each pair of tasks. */
function overlapsWith({ plan }: Pick<RunOrder, 'plan'>, other: RunState): readonly Finding[] {
  const left = leftToLand(other);
  const theirs = allTasks(other.plan).filter(({ id }) => {
    const state = other.tasks[id];
    return state !== undefined && (!isResolved(state) || left.includes(id));
  });
  return allTasks(plan).flatMap((task) =>
    theirs.flatMap((rival) => {
      const mine = claimsOf(plan, task, []);
      const met = claimsOf(other.plan, rival, []).flatMap((claim) =>
        mine.flatMap((own) => intersect(own.pattern, claim.pattern)?.witness ?? []),
      )[0];
      return met === undefined
        ? []
        : [{ rule: 'owns-elsewhere', task: task.id, run: other.run, other: rival.id, path: met } as const];
    }),
  );
}
