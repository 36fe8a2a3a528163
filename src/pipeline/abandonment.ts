import { isMoving } from '../domain/landing/landing.ts';
import { currentWave, type RunState } from '../domain/run/run.ts';
import { live } from './dispatch.ts';
import { askLand } from './land.ts';
import { merge } from './merge.ts';
import { fact, type Step } from './step.ts';

/**
 * Ends a run that a person gave up, in whatever state it is. Its agents are stopped, which keeps their work; a branch that is
 * being moved or offered is brought to where it was going, so that nothing is left half done. Nothing else begins any more.
 */
export function abandonment(state: RunState): readonly Step[] {
  const isUndoing = state.landing.status === 'undoing' && state.pending.length > 0;
  const underWay = [...live(state), ...branchMoves(state)];
  if (isUndoing) return underWay;
  return underWay.length > 0 ? underWay : [fact({ type: 'run-ended', outcome: 'abandoned' })];
}

function branchMoves(state: RunState): readonly Step[] {
  if (isMoving(state.landing)) return [askLand(state)];
  return currentWave(state)?.rounds.at(-1)?.status === 'merging' ? merge(state) : [];
}
