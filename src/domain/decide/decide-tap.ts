import type { PlanHash } from '../base/ids.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { By, TapName } from '../ledger/requests.ts';
import type { RunState } from '../run/run.ts';
import { hasExpired, type TapState } from './tap.ts';

export type TapDecision = 'approved' | 'rejected' | 'held' | 'expired';

/** Decides a tap, by the time `at` which the person answered: a coordinator may read the answer much later. */
export function decideTap(
  state: TapState | undefined,
  decision: { readonly tap: TapName; readonly decision: TapDecision; readonly hash: PlanHash; readonly by: By },
  at: string,
): Result<readonly RunEvent[], Finding> {
  if (state === undefined) return err({ rule: 'tap-absent', tap: decision.tap });
  if (decision.hash !== state.hash) return err({ rule: 'plan-outdated' });
  switch (state.status) {
    case 'pending':
    case 'held':
      return hasExpired(state, at)
        ? err({ rule: 'tap-expired', tap: decision.tap, expired: state.expires })
        : ok([{ type: 'tap-decided', ...decision }]);
    case 'approved':
    case 'rejected':
    case 'expired':
      return err({ rule: 'tap-settled', status: state.status, who: state.by.who });
  }
}

/**
 * Returns the run as it is at a time: a start that nobody decided in time has expired, even while no coordinator is there to record
 * that. A pending answer was made at a time of its own, and is left to the coordinator.
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
