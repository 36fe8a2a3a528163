import { judged } from '../domain/gates/judge.ts';
import { type RunState, selectedWaves } from '../domain/run/run.ts';
import { contextOf, fact, grantedIn, type Step } from './step.ts';

/** Phase 1: judges the scopes of tasks, again after every grant. */
export function ownership(state: RunState): readonly Step[] {
  const wave = selectedWaves(state).find((open) => open.preflight !== null && open.ownership === null);
  if (wave === undefined) return [];
  const evidence = { granted: grantedIn(state) };
  return [fact(judged(contextOf(state), { phase: 'ownership', wave: wave.index, evidence }))];
}
