import { pauseFor, providerOf } from '../domain/provider.ts';
import { plannedById, type RunState } from '../domain/run.ts';
import { fact, type Given, type Step } from './step.ts';

/** Providers that want to be left alone are, by all tasks, and are asked again when their time has come. */
export function governor(state: RunState, given: Given): readonly Step[] {
  const over = Object.entries(state.providers).find(
    ([, pause]) => pause.status === 'paused' && pause.until !== null && pause.until <= given.now,
  );
  if (over !== undefined) return [fact({ type: 'provider-resumed', provider: over[0] })];
  for (const task of Object.values(state.tasks)) {
    const planned = plannedById(state.plan, task.id);
    if (planned === undefined || task.progress.status !== 'waiting') continue;
    const pause = pauseFor(state.providers, providerOf(planned, task), task.progress.next.trouble, given.now);
    if (pause !== null) return [fact(pause)];
  }
  return [];
}
