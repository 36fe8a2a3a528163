import type { RunEvent } from './events.ts';
import type { Finding } from './findings/finding.ts';
import type { PlanHash, TaskId } from './ids.ts';
import type { FrozenPlan } from './plan.ts';
import type { By, TapName } from './requests.ts';
import { err, ok, type Result } from './result.ts';

/** A point where a human decides. Approve and reject are final, the first wins; a hold is lifted by a later approve. */
export type TapState =
  | { readonly status: 'pending'; readonly hash: PlanHash; readonly expires: string | null }
  | { readonly status: 'held'; readonly hash: PlanHash; readonly by: By; readonly expires: string | null }
  | {
      readonly status: 'approved' | 'rejected' | 'expired';
      readonly hash: PlanHash;
      /** A landing of these tasks only. */
      readonly tasks?: readonly TaskId[];
      readonly by: By;
    };

/** The tap that lets a wave begin: its own, or the one of the whole run. */
export const startTap = (plan: FrozenPlan, wave: number): TapName =>
  plan.taps.start === 'run' ? 'start' : `start-${wave}`;

export type TapDecision = 'approved' | 'rejected' | 'held' | 'expired';

export function decideTap(
  state: TapState | undefined,
  decision: { readonly tap: TapName; readonly decision: TapDecision; readonly hash: PlanHash; readonly by: By },
): Result<readonly RunEvent[], Finding> {
  if (state === undefined) return err({ rule: 'tap-absent', tap: decision.tap });
  if (decision.hash !== state.hash) return err({ rule: 'plan-outdated' });
  switch (state.status) {
    case 'pending':
    case 'held':
      return ok([{ type: 'tap-decided', ...decision }]);
    case 'approved':
    case 'rejected':
    case 'expired':
      return err({ rule: 'tap-settled', status: state.status, who: state.by.who });
  }
}

export function evolveTap(
  state: TapState | undefined,
  event: RunEvent & { readonly type: 'tap-opened' | 'tap-decided' },
): TapState {
  if (event.type === 'tap-opened') return { status: 'pending', hash: event.hash, expires: event.expires };
  const { hash, by, tasks } = event;
  const expires = state !== undefined && 'expires' in state ? state.expires : null;
  if (event.decision === 'held') return { status: 'held', hash, by, expires };
  return { status: event.decision, hash, by, ...(tasks === undefined ? {} : { tasks }) };
}
