import { openRecords } from '../domain/closure/barriers.ts';
import { closureProof } from '../domain/gates/phase.ts';
import { passes } from '../domain/gates/verdict.ts';
import { isQueued } from '../domain/landing/landing.ts';
import { currentWave, type RunState } from '../domain/run/run.ts';
import { effect, fact, type Step } from './step.ts';

/** Phase 6: the merger moves the run branch to exactly the tree that was checked; we verify that it did. */
export function merge(state: RunState): readonly Step[] {
  const wave = currentWave(state);
  const round = wave?.rounds.at(-1);
  if (wave === undefined || round === undefined) return [];
  const at = { wave: wave.index, round: round.round };
  switch (round.status) {
    case 'closing': {
      if (!passes(round.closed)) return [fact({ type: 'round-abandoned', ...at, because: { rule: 'round-closure' } })];
      // a landing in progress takes only what was merged before its approval, so this round waits
      if (isQueued(state.landing) || state.mode.mode === 'stopped') return [];
      // a record that came since keeps the wave open; the merger would refuse
      if (openRecords(state, wave).length > 0) return [];
      break;
    }
    case 'merging':
      break;
    case 'merged': {
      if (round.judged) return [];
      const what = { do: 'observe-run-branch', ...at, old: round.old, new: round.new } as const;
      return [effect(`observe ${at.wave}.${at.round}`, what)];
    }
    default:
      return [];
  }
  const proof = closureProof(state, wave.index, round);
  return proof === null ? [] : [effect(`merge ${at.wave}.${at.round}`, { do: 'merge', ...at, proof })];
}
