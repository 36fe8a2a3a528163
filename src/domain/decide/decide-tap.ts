import type { PlanHash } from '../base/ids.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { By, TapName } from '../ledger/requests.ts';
import type { FrozenPlan } from '../plan/plan.ts';
import { hasExpired, type TapState } from './tap.ts';

/** The tap that lets a wave begin: its own, or the one of the whole run. */
export const startTap = (plan: FrozenPlan, wave: number): TapName =>
  plan.taps.start === 'run' ? 'start' : `start-${wave}`;

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
