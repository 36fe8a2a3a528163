import type { RunEvent } from './events.ts';
import type { TaskId } from './ids.ts';
import { noLanding } from './landing.ts';
import { allTasks, type FrozenPlan, type PlannedTask } from './plan.ts';
import type { RunState, WaveState } from './run.ts';
import { plannedTask, type TaskState } from './task.ts';

/**
 * The run under another version of its plan. What is merged or closed stays as it is; everything else begins anew and
 * has to be judged and approved for the new hash (I2). Numbers of attempts and rounds go on, so that none is used twice.
 */
export function replacePlan(state: RunState, event: RunEvent & { readonly type: 'plan-replaced' }): RunState {
  const { plan, hash } = event;
  const keeps = new Set(event.keeps);
  const has = idsOf(plan);
  const carried = plan.waves.flatMap((wave, index) =>
    wave.tasks.map((task) => carryTask(state, task, { index, stays: keeps.has(task.id) })),
  );
  const gone = Object.values(state.tasks).filter((task) => !has.has(task.id));
  const { landing } = state;
  return {
    ...state,
    plan,
    hash,
    waves: plan.waves.map((_, index) => carryWave(state, index, event.threads.includes(index))),
    tasks: Object.fromEntries([...carried, ...gone].map((task) => [task.id, task])),
    taps: {},
    // a check of the same name may be another command now
    checks: {},
    landing: landing.status === 'landed' || landing.status === 'undone' ? landing : noLanding,
  };
}

export const unjudged = (index: number): WaveState => ({
  index,
  thread: null,
  preflight: null,
  ownership: null,
  approval: null,
  rounds: [],
  closed: false,
});

/** A closed wave keeps its verdicts, but for the approval: nobody has said yes to the new version yet. */
function carryWave(state: RunState, index: number, keepsThread: boolean): WaveState {
  const wave = state.waves[index];
  if (wave === undefined) return unjudged(index);
  if (wave.closed) return { ...wave, approval: null };
  const thread = keepsThread && wave.bound !== undefined ? { bound: wave.bound } : {};
  return { ...unjudged(index), rounds: wave.rounds, ...thread };
}

function carryTask(
  state: RunState,
  task: PlannedTask,
  { index, stays }: { readonly index: number; readonly stays: boolean },
): TaskState {
  const before = state.tasks[task.id];
  const anew = plannedTask(task, index);
  if (before === undefined) return anew;
  // money that is spent stays spent
  const { launches, used, raised, warned } = before;
  return stays ? { ...before, wave: index, granted: [] } : { ...anew, launches, used, raised, warned };
}

const idsOf = (plan: FrozenPlan): ReadonlySet<TaskId> => new Set(allTasks(plan).map((task) => task.id));
