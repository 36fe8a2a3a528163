import type { Finding } from '../../domain/findings/finding.ts';

/** Milliseconds. `monotonic` may stand still while the host sleeps; `wall` never does, and may be set by people. */
export type JobClock = { monotonic(): number; wall(): number };

export type Limits = { readonly minutes: number; readonly silence: number };

export type LimitState = {
  readonly chargedMs: number;
  readonly silentMs: number;
  readonly sleptMs: number;
  readonly at: { readonly monotonic: number; readonly wall: number };
};

/** A longer step than this between two looks means that we did not run: the host slept or was paused. */
const longestStep = 15_000;
/** The wall clock may run ahead by this much before we call it sleep. */
const drift = 5_000;

export const startLimits = (clock: JobClock): LimitState => ({ chargedMs: 0, silentMs: 0, sleptMs: 0, at: now(clock) });

/** Charges the time since the last look, but not what the host slept; after a sleep silence begins anew. */
export function chargeTime(state: LimitState, clock: JobClock, heard: boolean): LimitState {
  const at = now(clock);
  const monotonic = Math.max(0, at.monotonic - state.at.monotonic);
  const ahead = at.wall - state.at.wall - monotonic;
  const charged = Math.min(monotonic, longestStep);
  const slept = (ahead > drift ? ahead : 0) + (monotonic - charged);
  return {
    chargedMs: state.chargedMs + charged,
    silentMs: heard || slept > 0 ? 0 : state.silentMs + charged,
    sleptMs: state.sleptMs + slept,
    at,
  };
}

type Exceeded = { readonly reason: 'timed-out' | 'silent'; readonly because: Finding };

export function exceeded(state: LimitState, { minutes, silence }: Limits): Exceeded | null {
  if (state.chargedMs >= minutes * 60_000) return { reason: 'timed-out', because: { rule: 'time-limit', minutes } };
  if (state.silentMs < silence * 60_000) return null;
  return { reason: 'silent', because: { rule: 'silence-limit', minutes: silence } };
}

/** When to look again: at the next limit, at least once a second so that a sleep is seen. */
export function nextLook(state: LimitState, limits: Limits): number {
  const left = Math.min(limits.minutes * 60_000 - state.chargedMs, limits.silence * 60_000 - state.silentMs);
  return Math.max(1, Math.min(1_000, left));
}

const now = (clock: JobClock) => ({ monotonic: clock.monotonic(), wall: clock.wall() });
