import { canonicalJson } from '../plan.ts';
import { decideExternal, toldOf } from './decide.ts';
import { type ExternalEvent, isExternalEvent } from './events.ts';
import { evolveSession, newSession, type Recorded, type Session } from './session.ts';

export type ReplayedSession = {
  readonly session: Session;
  /** How many requests were answered again. */
  readonly answered: number;
  readonly differences: readonly { readonly seq: number; readonly detail: string }[];
};

/** Folds a session from its first event and decides every request again, as things stood then. Reads nothing but its argument. */
export function replaySession(id: string, stored: readonly Recorded[]): ReplayedSession {
  const differences: { seq: number; detail: string }[] = [];
  let answered = 0;
  let session = newSession(id);
  let before = session;
  let facts: ExternalEvent[] = [];
  for (const record of stored) {
    const { seq, event } = record;
    if (isExternalEvent(event)) facts.push(event);
    if (event.type === 'request-accepted' || event.type === 'request-refused') {
      answered += 1;
      const recorded = event.type === 'request-accepted' ? canonicalJson(facts) : event.why;
      const again = answerAgain(before, event.request);
      if (recorded !== again)
        differences.push({
          seq,
          detail: `request ${event.request} was answered ${recorded}; now it would be ${again}`,
        });
      facts = [];
    }
    session = evolveSession(session, record);
    if (facts.length === 0) before = session;
  }
  return { session, answered, differences };
}

function answerAgain(state: Session, seq: number): string {
  const request = state.pending.find((waiting) => waiting.seq === seq)?.request;
  if (request === undefined) return 'nothing: it was never asked';
  if (request.type !== 'requested-external') return `a session that others drive knows no ${request.type}`;
  const decided = decideExternal(state, request);
  return decided.ok ? canonicalJson(decided.value) : toldOf(decided.error);
}
