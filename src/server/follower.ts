import type { Ledger, Stored } from '../ports/ledger.ts';

/** Hands every event of a ledger over once and in order, as far as it goes whenever it is asked. */
export type Follower = {
  catchUp(): Promise<void>;
  /** The last event that was handed over. */
  seq(): number;
};

export function follower(ledger: Pick<Ledger, 'readAll'>, take: (stored: Stored) => void): Follower {
  let seen = 0;
  let reading: Promise<void> | null = null;
  const read = async (): Promise<void> => {
    for (const stored of await ledger.readAll(seen)) {
      take(stored);
      seen = stored.seq;
    }
  };
  return {
    // those who come while one reads share its answer only if it began after they came
    catchUp: async () => {
      await reading;
      reading ??= read().finally(() => {
        reading = null;
      });
      await reading;
    },
    seq: () => seen,
  };
}
