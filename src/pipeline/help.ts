import { routedOnward, settledByPolicy } from '../domain/board/clarify.ts';
import { newlyOverdue } from '../domain/board/clocks.ts';
import { nextHelper } from '../domain/board/helpers.ts';
import { restarts } from '../domain/decide/take-work.ts';
import { currentWave, type RunState, tasksOfWave } from '../domain/run/run.ts';
import { isBlocked } from '../domain/run/schedule.ts';
import { isSettled } from '../domain/run/task.ts';
import { fact, type Step, type StepInputs } from './step.ts';

/**
 * Part of phase 5: settles questions that a person has decided already, gives those that nobody acknowledges to somebody else, and
 * starts a ready task again for the records that wait for it, as soon as no task of the wave runs.
 */
export function help(state: RunState, { now }: StepInputs): readonly Step[] {
  const wave = currentWave(state);
  if (wave === undefined || wave.approval === null || state.mode.mode !== 'active') return [];
  const settled = settledByPolicy(state, wave, now);
  if (settled !== null) return [fact(...settled)];
  const onward = routedOnward(state, now);
  if (onward !== null) return [fact(...onward)];
  const isEdited = state.pending.some(({ request }) => request.type === 'requested-edit');
  const isBusy = tasksOfWave(state, wave.index).some((task) => !isSettled(task) && !isBlocked(state, task));
  const helper = isBusy || isEdited ? null : nextHelper(state, wave, now);
  return helper === null ? [] : [fact(...helper.events, ...restarts(state, helper.task))];
}

/** Records once that clocks have run out. The notice follows from that. */
export function overdue(state: RunState, { now }: StepInputs): readonly Step[] {
  const alert = newlyOverdue(state, now);
  return alert === null ? [] : [fact(alert)];
}
