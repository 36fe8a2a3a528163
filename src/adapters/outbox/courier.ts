import { setTimeout as sleep } from 'node:timers/promises';

type Parcel = {
  /** What goes the same way arrives in order. */
  readonly lane: string;
  /** For whoever wonders what became of it. */
  readonly label: string;
  /** Why it was not taken; null: it was. */
  readonly hand: (signal: AbortSignal) => Promise<null | Problem>;
  /** Whoever sends it brings it again some time: it is put off, and not given up. */
  readonly putOff?: () => void;
};

/** `final`: nobody need try again soon. `lost`: nor later. */
type Problem = { readonly why: string; readonly final?: boolean; readonly lost?: boolean };

type Courier = {
  /** Returns at once. */
  deliver(parcel: Parcel): void;
  /** Resolves when all is delivered or given up; what takes too long is given up. */
  settle(graceMs?: number): Promise<void>;
};

type CourierOptions = {
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

  /** Nobody will come back to it after the end. */
  const leave = ({ label, putOff }: Parcel, how: string, isLost = false): void => {
    keep(`${label}: ${putOff === undefined || isLost ? 'given up' : 'put off'}${how}`);
    if (!isLost && !stopped.signal.aborted) putOff?.();
  };
  const bring = async (parcel: Parcel): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      const problem = await parcel.hand(stopped.signal);
      if (problem === null) return;
      const wait = waits[tries - 1];
      if (problem.final === true || wait === undefined || stopped.signal.aborted)
        return leave(parcel, ` after ${tries}: ${problem.why}`, problem.lost);
      await sleep(wait, undefined, { signal: stopped.signal }).catch((cause: unknown) => {
        if (!stopped.signal.aborted) throw cause;
      });
      if (stopped.signal.aborted) return leave(parcel, ` after ${tries}, at the end: ${problem.why}`);
    }
  };

  return {
    deliver(parcel) {
      const lane = lanes.get(parcel.lane) ?? { last: Promise.resolve(), waiting: 0 };
      if (lane.waiting >= mostWaiting) return leave(parcel, ': too many are waiting');
      lane.waiting += 1;
      lane.last = lane.last
        .then(() => bring(parcel))
        .finally(() => {
          lane.waiting -= 1;
        });
      lanes.set(parcel.lane, lane);
    },
    async settle(grace = graceMs) {
      const all = Promise.all([...lanes.values()].map(({ last }) => last));
      const timer = setTimeout(() => stopped.abort(), grace);
      await all;
      clearTimeout(timer);
    },
  };
}
