import { namesCaller, unknownRequest } from './answer.ts';
import { decideTap, startTap, type TapDecision } from './decide-tap.ts';
import type { RunEvent } from './events.ts';
import type { Finding } from './findings/finding.ts';
import type { RunId } from './ids.ts';
import type { RequestEvent, TapName } from './requests.ts';
import { err, ok, type Result } from './result.ts';
import { evolveRun, type RunState, selectedWaves } from './run.ts';
import type { TapState } from './tap.ts';

/**
 * Answers to a run that another one is before, or that is about to be made: nothing of it has begun, so it may be given up
 * at once, and its start be decided early, for the plan that it has. Anything else has nothing to be about yet.
 */
export function answersInLine(
  state: RunState,
  pending: RunState['pending'],
  behind: RunId | null,
): readonly RunEvent[] {
  const events: RunEvent[] = [];
  let now: RunState | null = state;
  for (const { seq, request } of pending) {
    const answered = now === null ? err({ rule: 'run-unknown' } as const) : answerInLine(now, request, behind);
    const facts: readonly RunEvent[] = answered.ok
      ? [...answered.value, { type: 'request-accepted', request: seq }]
      : [{ type: 'request-refused', request: seq, because: answered.error }];
    for (const event of facts) now = evolveRun(now, { seq: 0, event });
    events.push(...facts);
  }
  return events;
}

export function answerInLine(
  state: RunState,
  request: RequestEvent,
  behind: RunId | null,
): Result<readonly RunEvent[], Finding> {
  if (!namesCaller(request)) return err(unknownRequest(request));
  if (state.ended !== null) return err({ rule: 'run-ended', outcome: state.ended });
  switch (request.type) {
    case 'requested-stop':
      return ok([{ type: 'run-stopped', by: request.by }, givenUp]);
    case 'requested-approve':
      return decideEarly(state, 'approved', request);
    case 'requested-hold':
      return decideEarly(state, 'held', request);
    case 'requested-reject':
      return decideEarly(state, 'rejected', request);
    default:
      return err(
        behind === null
          ? { rule: 'run-being-made', run: state.run }
          : { rule: 'run-in-line', run: state.run, behind, branch: state.target.branch },
      );
  }
}

const givenUp = { type: 'run-ended', outcome: 'rejected' } as const;

/** The tap that lets this run begin. */
export const firstTap = (state: RunState): TapName => startTap(state.plan, selectedWaves(state)[0]?.index ?? 0);

/** Opened by who decides it; it does not run out while the run waits. */
function decideEarly(
  state: RunState,
  decision: TapDecision,
  { tap, hash, by }: RequestEvent & { readonly tap: TapName; readonly hash: RunState['hash'] },
): Result<readonly RunEvent[], Finding> {
  const open = state.taps[tap];
  const fresh: TapState | undefined =
    tap === firstTap(state) ? { status: 'pending', hash: state.hash, expires: null } : undefined;
  const decided = decideTap(open ?? fresh, { tap, decision, hash, by });
  if (!decided.ok) return decided;
  return ok([
    ...(open === undefined ? [{ type: 'tap-opened', tap, hash: state.hash, expires: null } as const] : []),
    ...decided.value,
    ...(decision === 'rejected' ? [givenUp] : []),
  ]);
}

/** What a person is asked now: the start before the landing; a tap on hold can still be decided. */
export function undecidedTap({ taps }: Pick<RunState, 'taps'>): TapName | null {
  const names = Object.keys(taps) as TapName[];
  return names.find((name) => ['pending', 'held'].includes(taps[name]?.status ?? '')) ?? null;
}
