import { isPaused, pauseFor, providerOf } from '../domain/agents/provider-pause.ts';
import type { TaskId } from '../domain/base/ids.ts';
import { plannedIn } from '../domain/derived/derived-tasks.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import { isNear, runSpend, type Spend, taskSpend } from '../domain/run/costs.ts';
import type { RunState } from '../domain/run/run.ts';
import { fact, type Step, type StepInputs } from './step.ts';

/** Pauses and resumes providers for all tasks, and warns before a budget is spent. */
export function governor(state: RunState, inputs: StepInputs): readonly Step[] {
  const near = budgetNear(state);
  if (near !== null) return [fact(near)];
  const over = Object.entries(state.providers).find(
    ([, pause]) => pause.status === 'paused' && pause.until !== null && pause.until <= inputs.now,
  );
  if (over !== undefined) return [fact({ type: 'provider-resumed', provider: over[0] })];
  const shared = sharedPause(state, inputs);
  if (shared !== null) return [fact(shared)];
  for (const task of Object.values(state.tasks)) {
    const isPlanned = plannedIn(state, task.id) !== undefined;
    const trouble = isPlanned && task.progress.status === 'waiting' ? task.progress.next.trouble : null;
    const pause = trouble === null ? null : pauseFor(state.providers, trouble, inputs.now);
    if (pause !== null) return [fact(pause)];
  }
  return [];
}

/** A provider that another run has paused is paused here too, as long as that pause lasts. */
function sharedPause(state: RunState, { pausedElsewhere, now }: StepInputs): RunEvent | null {
  if (pausedElsewhere === undefined) return null;
  const elsewhere = pausedElsewhere(state).filter(({ until }) => until === null || until > now);
  const isOver = Object.entries(state.providers).find(
    ([provider, pause]) =>
      pause.status === 'paused' &&
      pause.of !== undefined &&
      !elsewhere.some((other) => other.of === pause.of && other.provider === provider),
  );
  if (isOver !== undefined) return { type: 'provider-resumed', provider: isOver[0] };
  const wanted = new Set(
    Object.values(state.tasks)
      .filter(({ progress }) => progress.status === 'waiting')
      .map(providerOf),
  );
  const fresh = elsewhere.find(({ provider }) => wanted.has(provider) && !isPaused(state.providers, provider));
  return fresh === undefined ? null : { type: 'provider-paused', ...fresh };
}

/** Warns once for each limit, so that a raise is followed by another warning. */
function budgetNear(state: RunState): RunEvent | null {
  const warning = (task: TaskId | null, spend: Spend, warned: number | null): RunEvent | null =>
    isNear(spend) && warned !== spend.limit ? { type: 'budget-near', task, ...spend } : null;
  // the budget of a derived task is that of the tasks that it stands for
  const paying = Object.values(state.tasks).filter(({ id }) => state.derived?.[id] === undefined);
  const near = paying.map((task) => warning(task.id, taskSpend(state, task), task.warned));
  return near.find((event) => event !== null) ?? warning(null, runSpend(state), state.warned);
}
