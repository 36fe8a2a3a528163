import type { Stored } from '../../src/ports/ledger.ts';
import type { Violation } from './checker.ts';

/** What only people do was asked for by one, and each request was followed once. */
export function checkAsked(history: readonly Stored[]): readonly Violation[] {
  const followed = new Map<string, number>();
  return history.flatMap(({ seq, event }): readonly Violation[] => {
    const asked = askedBy(event);
    if (asked === null) return [];
    const key = JSON.stringify(asked);
    const times = (followed.get(key) ?? 0) + 1;
    followed.set(key, times);
    const requests = history.filter(
      (one) =>
        one.seq < seq &&
        one.event.type === asked['type'] &&
        Object.entries(asked).every(([name, value]) => (one.event as Record<string, unknown>)[name] === value),
    );
    return requests.length >= times ? [] : [{ invariant: 'I2', seq, what: `nobody asked for this ${event.type}` }];
  });
}

function askedBy(event: Stored['event']): Readonly<Record<string, unknown>> | null {
  switch (event.type) {
    case 'budget-raised':
      return { type: 'requested-raise', task: event.task, usd: event.usd };
    case 'agent-chosen':
      return { type: 'requested-retry', task: event.task, agent: event.agent };
    case 'message-sent':
      return { type: 'requested-send', task: event.task, message: event.message };
    case 'record-posted':
      // a rule posts these; check-records.ts says when it may
      if (event.by.via === 'policy' && ['resolved-by-policy', 'human-escalation'].includes(event.kind)) return null;
      // what a run takes over was asked for in the stream of the repository
      if (event.repository !== undefined) return null;
      if (event.place.of !== undefined) return { type: 'requested-record', act: 'escalate', text: event.text };
      return { type: 'requested-post', kind: event.kind, target: event.target, text: event.text };
    case 'record-answered':
      return { type: 'requested-answer', record: event.record, text: event.text };
    case 'record-closed':
      return { type: 'requested-answer', record: event.record, text: null };
    default:
      return null;
  }
}
