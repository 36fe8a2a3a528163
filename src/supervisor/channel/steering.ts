import { failpoint } from '../../adapters/process/failpoint.ts';
import type { AgentNote } from '../../domain/agents/agent-note.ts';
import type { Terms } from '../../ports/supervisor.ts';

/** Passes on what people change about a running attempt. A change may come before there is a listener, and more than once. */
export type LiveSteering = {
  tell(terms: Terms): void;
  /** Called with every change, and at once when there was one. */
  onTerms(listener: (terms: Terms) => void): void;
  /** Hands a message on, once for each number. False: nobody takes it now. */
  send(number: number, text: string): boolean;
  onSend(hand: { say(text: string): boolean; note(note: AgentNote): void }): void;
};

export function openSteering(): LiveSteering {
  const listeners: ((terms: Terms) => void)[] = [];
  const delivered = new Set<number>();
  let last: Terms | null = null;
  let hand: Parameters<LiveSteering['onSend']>[0] | null = null;
  return {
    tell(terms) {
      last = terms;
      for (const listener of listeners) listener(terms);
    },
    onTerms(listener) {
      listeners.push(listener);
      if (last !== null) listener(last);
    },
    send(number, text) {
      if (delivered.has(number)) return true;
      failpoint('supervisor-message-before');
      if (hand === null || !hand.say(text)) return false;
      delivered.add(number);
      // the caller may be gone by now, so the note is the only record
      hand.note({ note: 'heard', request: number });
      failpoint('supervisor-message-handed');
      return true;
    },
    onSend(taker) {
      hand = taker;
    },
  };
}
