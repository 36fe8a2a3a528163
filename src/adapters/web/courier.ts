import { setTimeout as sleep } from 'node:timers/promises';

export type Parcel = {
  /** What goes the same way arrives in order. */
  readonly lane: string;
  /** For whoever wonders what became of it. */
  readonly label: string;
  /** Why it was not taken; null: it was. `final`: nobody need try again. */
  readonly hand: (signal: AbortSignal) => Promise<null | { readonly why: string; readonly final?: boolean }>;
};

export type Courier = {
  /** Returns at once. */
  deliver(parcel: Parcel): void;
  /** Resolves when all is delivered or given up; what takes too long is given up. */
  settle(): Promise<void>;
};

export type CourierOptions = {
  /** Milliseconds before each further try. */
  readonly waits?: readonly number[];
  /** How long whoever stops waits for what is under way. */
  readonly graceMs?: number;
  /** What was given up, as a line. */
  readonly keep: (line: string) => void;
};

const mostWaiting = 100;

/** Delivers in the background, trying again after growing pauses. What cannot be delivered is given up and kept as a line. */
export function courier({ waits = [1_000, 5_000, 30_000], graceMs = 10_000, keep }: CourierOptions): Courier {
  const stopped = new AbortController();
  const lanes = new Map<string, { last: Promise<void>; waiting: number }>();

  const bring = async ({ label, hand }: Parcel): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      const problem = await hand(stopped.signal);
      if (problem === null) return;
      const wait = waits[tries - 1];
      if (problem.final === true || wait === undefined || stopped.signal.aborted)
        return keep(`${label}: given up after ${tries}: ${problem.why}`);
      await sleep(wait, undefined, { signal: stopped.signal }).catch((cause: unknown) => {
        if (!stopped.signal.aborted) throw cause;
      });
      if (stopped.signal.aborted) return keep(`${label}: given up after ${tries}, at the end: ${problem.why}`);
    }
  };

  return {
    deliver(parcel) {
      const lane = lanes.get(parcel.lane) ?? { last: Promise.resolve(), waiting: 0 };
      if (lane.waiting >= mostWaiting) return keep(`${parcel.label}: given up: too many are waiting`);
      lane.waiting += 1;
      lane.last = lane.last
        .then(() => bring(parcel))
        .finally(() => {
          lane.waiting -= 1;
        });
      lanes.set(parcel.lane, lane);
    },
    async settle() {
      const all = Promise.all([...lanes.values()].map(({ last }) => last));
      const timer = setTimeout(() => stopped.abort(), graceMs);
      await all;
      clearTimeout(timer);
    },
  };
}
