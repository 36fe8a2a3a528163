import { setImmediate } from 'node:timers/promises';
import type { Ledger, Stored } from '../../ports/ledger.ts';

/** Hands every event of a ledger over once and in order, as far as it goes whenever it is asked. */
type Follower = {
  catchUp(): Promise<void>;
  /** The last event that was handed over. */
  seq(): number;
};

export function follower(ledger: Pick<Ledger, 'readAll'>, take: (stored: Stored) => void): Follower {
  let seen = 0;
  let last = Promise.resolve();
  let next: Promise<void> | null = null;
  const read = async (): Promise<void> => {
    // those who come from here on may have been told of events that this does not see
    next = null;
    for (const stored of await ledger.readAll(seen)) {
      seen = stored.seq;
      take(stored);
    }
  };
  return {
    // all requests of one turn of the loop share one look at the ledger, which begins after they came
    catchUp: async () => {
      next ??= last.then(() => setImmediate()).then(read);
      last = next.catch(() => undefined);
      await next;
    },
    seq: () => seen,
  };
}
