import type { RunId, TaskId } from '../base/ids.ts';
import { err, ok, present, type Result } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import { dependentsOf, landsOnOwnBranch } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import type { Rebuilt } from './landing.ts';
import { leftToLand } from './undo.ts';

/**
 * Landing some of the tasks of a run: those that are left out stay on the run branch, and a later `land` takes them.
 *
 *   land --only a,b ─▶ tap-decided (yes to a, b) ─▶ target-observed ─▶ landing-rebuilt (their commits, on that tip)
 *     ─▶ every check on that tree ─▶ landing-intended ─▶ landed (a, b) ─▶ run-ended `done` while something is left
 *   A conflict or a failing check is `landing-refused`: nothing moved, and any other choice can be asked for.
 */

/** There is nothing left to land. */
export const hasWhollyLanded = (state: Pick<RunState, 'tasks' | 'undo' | 'landing'>): boolean =>
  state.landing.status === 'landed' && leftToLand(state).length === 0;

export const isPartlyLanded = (state: Pick<RunState, 'tasks' | 'undo' | 'landing'>): boolean =>
  state.landing.status === 'landed' && leftToLand(state).length > 0;

/** The tasks that the person approved for landing; null: all that are left. */
export const chosenTasks = ({ taps }: Pick<RunState, 'taps'>): readonly TaskId[] | null =>
  taps.land?.status === 'approved' ? (taps.land.tasks ?? null) : null;

/** Why these tasks cannot land without the others; null when they can, as far as the plan can tell. */
export function whyNotAlone(state: RunState, tasks: readonly TaskId[]): Finding | null {
  const left = leftToLand(state);
  if (tasks.length === 0) return { rule: 'no-task-left' };
  for (const task of tasks) {
    if (state.tasks[task] === undefined) return { rule: 'no-such-task', run: state.run, task };
    if (state.undo.landed.includes(task)) return { rule: 'task-landed', task };
    if (!left.includes(task)) return { rule: 'task-not-merged', task, status: state.tasks[task].progress.status };
    const missing = left.find((other) => !tasks.includes(other) && standsOn(state, task, other));
    if (missing !== undefined) return { rule: 'need-not-chosen', task, need: missing };
    const gone = state.undo.tasks.find((other) => standsOn(state, task, other));
    if (gone !== undefined) return { rule: 'need-undone', task, need: gone, branch: state.target.branch };
  }
  if (landsOnOwnBranch(state.plan)) return { rule: 'lands-as-a-whole' };
  const open = state.waves.find(({ index, closed }) => !closed && (state.only === null || state.only === index));
  return open === undefined ? null : { rule: 'wave-open', wave: open.index };
}

export type WithoutTasks = {
  readonly tasks: readonly TaskId[];
  /** Left out with those that were named, because they need one of them. */
  readonly also: readonly { readonly task: TaskId; readonly needs: TaskId }[];
};

/** The tasks that can land without these. */
export function withoutTasks(state: RunState, except: readonly TaskId[]): WithoutTasks {
  const left = leftToLand(state);
  const rest = left.filter((task) => !except.includes(task));
  const also = rest.flatMap((task) => {
    const needs = except.find((other) => left.includes(other) && standsOn(state, task, other));
    return needs === undefined ? [] : [{ task, needs }];
  });
  return { tasks: rest.filter((task) => !also.some((one) => one.task === task)), also };
}

const standsOn = ({ plan }: RunState, task: TaskId, on: TaskId): boolean => dependentsOf(plan, on).includes(task);

/** Chooses the tasks of a run to land by name: only these, or all but these and the tasks that need them. Null: all that are left. */
export function chooseTasks(
  state: RunState,
  only: readonly string[] | null,
  except: readonly string[] | null,
): Result<WithoutTasks | null, Finding> {
  const ids = new Set(only ?? except ?? []);
  if (only === null && except === null) return ok(null);
  const unknown = [...ids].find((id) => !Object.hasOwn(state.tasks, id));
  if (unknown !== undefined)
    return err({ rule: 'no-such-task', run: state.run, task: unknown, known: Object.keys(state.tasks) });
  const tasks = Object.values(state.tasks)
    .map(({ id }) => id)
    .filter((id) => ids.has(id));
  return ok(only === null ? withoutTasks(state, tasks) : { tasks, also: [] });
}

/** Why a landing whose commits conflict with what is on the branch is refused. */
export function landingConflicts(
  { conflicts, task, against }: Pick<Rebuilt, 'conflicts' | 'task' | 'against'>,
  where: { readonly run: RunId; readonly branch: string; readonly tasks: readonly TaskId[] | null },
): Finding {
  const sides = present({ task, against });
  return { rule: 'landing-conflicts', ...where, files: conflicts, ...sides };
}
