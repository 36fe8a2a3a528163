import { deriveResolver } from '../domain/derived/derive-resolver.ts';
import { isRoundOpen } from '../domain/run/round.ts';
import { currentWave, type RunState, tasksOfWave } from '../domain/run/run.ts';
import { fact, type Step } from './step.ts';

/**
 * Part of phase 5: makes a task for work that could not be integrated, once its round is over. One at a time. Nothing starts for work
 * that its own gates hold.
 */
export function derive(state: RunState): readonly Step[] {
  const wave = currentWave(state);
  if (wave === undefined || wave.approval === null || state.mode.mode !== 'active') return [];
  if (state.plan.resolver === undefined || isRoundOpen(wave.rounds.at(-1))) return [];
  for (const task of tasksOfWave(state, wave.index)) {
    const derived = deriveResolver(state, task);
    if (derived !== null) return [fact(derived)];
  }
  return [];
}
