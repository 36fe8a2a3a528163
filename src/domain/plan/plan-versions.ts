import type { TaskId } from '../base/ids.ts';
import { byName } from '../base/result.ts';
import { noLanding } from '../landing/landing.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RunState, WaveState } from '../run/run.ts';
import { plannedTask, type TaskState } from '../run/task.ts';
import { everyTask, everyTaskOf, type FrozenPlan, type PlannedTask } from './plan.ts';

/**
 * Returns the run under another version of its plan. Merged and closed work stays as it is; work that is reused is judged again;
 * everything else begins anew. All of it has to be approved for the new hash (I2). Numbers of attempts and rounds continue, so that
 * none is used twice.
 */
export function replacePlan(state: RunState, event: RunEvent & { readonly type: 'plan-replaced' }): RunState {
  const { plan, hash } = event;
  const keeps = new Set(event.keeps);
  const reuses = new Set(event.reuses ?? []);
  const has = idsOf(plan);
  const carried = plan.waves.flatMap((wave, index) =>
    everyTaskOf(wave).map((task) => {
      const how = keeps.has(task.id) ? 'stays' : reuses.has(task.id) ? 'judged-again' : 'anew';
      return carryTask(state, task, index, how);
    }),
  );
  const gone = Object.values(state.tasks).filter((task) => !has.has(task.id));
  const { landing, derived: _, ...rest } = state;
  return {
    ...rest,
    plan,
    hash,
    waves: plan.waves.map((_, index) => carryWave(state, index, event.threads.includes(index))),
    tasks: byName(Object.fromEntries([...carried, ...gone].map((task) => [task.id, task]))),
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

/** A closed wave keeps its verdicts, except for the approval: nobody has approved the new version yet. */
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
  index: number,
  how: 'stays' | 'judged-again' | 'anew',
): TaskState {
  const before = state.tasks[task.id];
  const anew = plannedTask(task, index);
  if (before === undefined) return anew;
  const kept = { ...before, wave: index, granted: [] };
  if (how === 'stays') return kept;
  const { progress } = before;
  if (how === 'judged-again' && (progress.status === 'ready' || progress.status === 'done')) {
    const { attempt, snapshot } = progress;
    return { ...kept, progress: { status: 'ended', attempt: { ...attempt, monitored: null }, snapshot } };
  }
  // money that is spent stays spent
  const { launches, used, raised, warned } = before;
  return { ...anew, launches, used, raised, warned };
}

const idsOf = (plan: FrozenPlan): ReadonlySet<TaskId> => new Set(everyTask(plan).map((task) => task.id));
