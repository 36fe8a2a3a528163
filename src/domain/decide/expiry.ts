import type { TapName } from '../ledger/requests.ts';
import type { RunState } from '../run/run.ts';
import { hasExpired } from './tap.ts';

/**
 * A run as it is at a time: a start that nobody decided in time is over, also while no coordinator is there to record that.
 * An answer that waits to be read was given at a time of its own, and is left to the coordinator.
 */
export function atTime(state: RunState, now: string): RunState {
  if (state.ended !== null) return state;
  const expired = (Object.keys(state.taps) as TapName[]).filter((name) => {
    const tap = state.taps[name];
    const isOpen = tap?.status === 'pending' || tap?.status === 'held';
    const isAnswered = state.pending.some(({ request }) => 'tap' in request && request.tap === name);
    return isOpen && !isAnswered && hasExpired(tap, now);
  });
  if (expired.length === 0) return state;
  const by = { who: 'tidegate', via: 'policy' } as const;
  const over = expired.map((name) => [name, { status: 'expired', hash: state.hash, by }] as const);
  return { ...state, taps: { ...state.taps, ...Object.fromEntries(over) }, ended: 'rejected' };
}
