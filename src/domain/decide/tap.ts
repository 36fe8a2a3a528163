import type { PlanHash, TaskId } from '../base/ids.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { By, TapName } from '../ledger/requests.ts';
import type { FrozenPlan } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';

/** A point where a human decides. Approve and reject are final, the first wins; a hold is lifted by a later approve. */
export type TapState =
  | ({ readonly status: 'pending'; readonly expires: string | null } & Asked)
  | ({ readonly status: 'held'; readonly by: By; readonly expires: string | null } & Asked)
  | ({ readonly status: 'approved' | 'rejected' | 'expired'; readonly by: By } & Asked);

/** `tasks`: about a landing of these only. */
type Asked = { readonly hash: PlanHash; readonly tasks?: readonly TaskId[] };

type OpenTap = Extract<TapState, { readonly status: 'pending' | 'held' }>;

/** Whether an open tap cannot be decided any more at a time. A time that is none never comes before the expiry. */
export const hasExpired = (tap: OpenTap, at: string): tap is OpenTap & { readonly expires: string } =>
  tap.expires !== null && !(Date.parse(at) < Date.parse(tap.expires));

export function evolveTap(
  state: TapState | undefined,
  event: RunEvent & { readonly type: 'tap-opened' | 'tap-decided' },
): TapState {
  const { hash, tasks } = event;
  const some = tasks === undefined ? {} : { tasks };
  if (event.type === 'tap-opened') return { status: 'pending', hash, expires: event.expires, ...some };
  const { by } = event;
  const expires = state !== undefined && 'expires' in state ? state.expires : null;
  return event.decision === 'held'
    ? { status: 'held', hash, by, expires, ...some }
    : { status: event.decision, hash, by, ...some };
}

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
