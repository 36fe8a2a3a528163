import type { PlanHash, TaskId } from '../base/ids.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { By, TapName } from '../ledger/requests.ts';
import type { FrozenPlan } from '../plan/plan.ts';

/** A point where a human decides. Approve and reject are final, the first wins; a hold is lifted by a later approve. */
export type TapState =
  | ({ readonly status: 'pending'; readonly expires: string | null } & TapSubject)
  | ({ readonly status: 'held'; readonly by: By; readonly expires: string | null } & TapSubject)
  | ({ readonly status: 'approved' | 'rejected' | 'expired'; readonly by: By } & TapSubject);

/** The plan that the tap is about. `tasks` is set for a landing of these tasks only. */
type TapSubject = { readonly hash: PlanHash; readonly tasks?: readonly TaskId[] };

type OpenTap = Extract<TapState, { readonly status: 'pending' | 'held' }>;

/** Tells whether an open tap can no longer be decided at a time. An invalid time counts as after the expiry. */
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
