import { judged } from '../domain/judge.ts';
import type { RunState } from '../domain/run.ts';
import { selectedWaves } from '../domain/run.ts';
import { contextOf, fact, type Step } from './step.ts';

/** Phase 0.5: each wave gets its place on the board. The built-in board is the ledger itself. */
export function thread(state: RunState): readonly Step[] {
  const wave = selectedWaves(state).find((open) => open.thread === null);
  if (wave === undefined) return [];
  const evidence = { board: 'builtin', id: `${state.run}/wave-${wave.index}` } as const;
  return [fact(judged(contextOf(state), { phase: 'thread', wave: wave.index, evidence }))];
}
