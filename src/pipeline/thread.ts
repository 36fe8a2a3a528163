import { judged } from '../domain/gates/judge.ts';
import { type RunState, selectedWaves, type WaveState } from '../domain/run/run.ts';
import { contextOf, effect, fact, type Step } from './step.ts';

/**
 * Phase 0.5: each wave gets a thread. The built-in board is the ledger itself; a thread elsewhere is requested, and the wave
 * continues whether or not that succeeds.
 */
export function thread(state: RunState): readonly Step[] {
  return selectedWaves(state)
    .filter((open) => open.thread === null)
    .map((open) => stepOf(state, open));
}

function stepOf(state: RunState, { index, threadKey, bound }: WaveState): Step {
  if (bound !== undefined || state.plan.thread === undefined) {
    const evidence = bound ?? ({ board: 'builtin', id: `${state.run}/wave-${index}` } as const);
    return fact(judged(contextOf(state), { phase: 'thread', wave: index, evidence }));
  }
  if (threadKey === undefined) return fact({ type: 'thread-intended', wave: index, key: keyOf(state, index) });
  return effect(`thread ${index}`, { do: 'bind-thread', wave: index, key: threadKey });
}

/** The commit tells runs of the same name in different repositories apart. */
const keyOf = ({ run, target }: RunState, wave: number): string =>
  `tidegate:${run}:wave-${wave}:${target.commit.slice(0, 12)}`;
