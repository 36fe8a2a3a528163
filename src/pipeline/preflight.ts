import { judged } from '../domain/gates/judge.ts';
import { lintDirectives } from '../domain/plan/plan-lint.ts';
import { type RunState, selectedWaves } from '../domain/run/run.ts';
import { contextOf, fact, type Step } from './step.ts';

/** Phase 0.7: judges the frozen directives of each wave. */
export function preflight(state: RunState): readonly Step[] {
  const wave = selectedWaves(state).find((open) => open.thread !== null && open.preflight === null);
  if (wave === undefined) return [];
  const evidence = lintDirectives(state.plan, wave.index);
  return [fact(judged(contextOf(state), { phase: 'preflight', wave: wave.index, evidence }))];
}
