import type { RunEvent } from './events.ts';
import type { PlanHash, TaskId } from './ids.ts';
import type { By } from './requests.ts';

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

type OpenTap = Extract<TapState, { readonly status: 'pending' | 'held' }>;

/** Whether an open tap cannot be decided any more at a time. A time that is none never comes before the expiry. */
export const hasExpired = (tap: OpenTap, at: string): tap is OpenTap & { readonly expires: string } =>
  tap.expires !== null && !(Date.parse(at) < Date.parse(tap.expires));

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
