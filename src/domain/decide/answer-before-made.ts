import { err, ok, type Result } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RequestEvent, TapName } from '../ledger/requests.ts';
import { evolveRun, type RunState, selectedWaves } from '../run/run.ts';
import { namesCaller, unknownRequest } from './answer.ts';
import { decideTap, type TapDecision } from './decide-tap.ts';
import { startTap, type TapState } from './tap.ts';

/**
 * Answers requests about a run between its order and its creation. Nothing of the run has begun, so it may be abandoned at once,
 * and its start may be decided for the plan that it has. Every other request is refused.
 */
export function answersBeforeMade(state: RunState, pending: RunState['pending']): readonly RunEvent[] {
  const events: RunEvent[] = [];
  let now: RunState | null = state;
  for (const { seq, request } of pending) {
    const answered = now === null ? err({ rule: 'run-unknown' } as const) : answerBeforeMade(now, request);
    const facts: readonly RunEvent[] = answered.ok
      ? [...answered.value, { type: 'request-accepted', request: seq }]
      : [{ type: 'request-refused', request: seq, because: answered.error }];
    for (const event of facts) now = evolveRun(now, { seq: 0, event });
    events.push(...facts);
  }
  return events;
}

function answerBeforeMade(state: RunState, request: RequestEvent): Result<readonly RunEvent[], Finding> {
  if (!namesCaller(request)) return err(unknownRequest(request));
  if (state.ended !== null) return err({ rule: 'run-ended', outcome: state.ended });
  switch (request.type) {
    case 'requested-stop':
      return ok([{ type: 'run-stopped', by: request.by }]);
    case 'requested-abandon':
      return ok([
        { type: 'run-abandoned', by: request.by },
        { type: 'run-ended', outcome: 'abandoned' },
      ]);
    case 'requested-approve':
      return decideEarly(state, 'approved', request);
    case 'requested-hold':
      return decideEarly(state, 'held', request);
    case 'requested-reject':
      return decideEarly(state, 'rejected', request);
    default:
      return err({ rule: 'run-being-made', run: state.run });
  }
}

/** The tap that lets this run begin. */
export const firstTap = (state: RunState): TapName => startTap(state.plan, selectedWaves(state)[0]?.index ?? 0);

/** Opened by who decides it: it has no time to run out. */
function decideEarly(
  state: RunState,
  decision: TapDecision,
  { tap, hash, at, by }: RequestEvent & { readonly type: 'requested-approve' | 'requested-reject' | 'requested-hold' },
): Result<readonly RunEvent[], Finding> {
  const open = state.taps[tap];
  const fresh: TapState | undefined =
    tap === firstTap(state) ? { status: 'pending', hash: state.hash, expires: null } : undefined;
  const decided = decideTap(open ?? fresh, { tap, decision, hash, by }, at);
  if (!decided.ok) return decided;
  return ok([
    ...(open === undefined ? [{ type: 'tap-opened', tap, hash: state.hash, expires: null } as const] : []),
    ...decided.value,
    ...(decision === 'rejected' ? [{ type: 'run-ended', outcome: 'rejected' } as const] : []),
  ]);
}

/** Returns the tap that a person can decide now: the start before the landing. A tap on hold can still be decided. */
export function undecidedTap({ taps }: Pick<RunState, 'taps'>): TapName | null {
  const names = Object.keys(taps) as TapName[];
  return names.find((name) => ['pending', 'held'].includes(taps[name]?.status ?? '')) ?? null;
}
