import { setTimeout as sleep } from 'node:timers/promises';
import { logLine } from './journal.ts';

/** One message on its way out. */
type Delivery = {
  /** Messages of one lane arrive in order. */
  readonly lane: string;
  /** Names the message in the log. */
  readonly label: string;
  /** Sends the message once. Returns null when it was taken. */
  readonly send: (signal: AbortSignal) => Promise<null | DeliveryProblem>;
  /** The message is also in a journal: it is postponed instead of given up, and the next process sends it otherwise. */
  readonly isDurable?: boolean;
};

/** `final`: trying again soon is useless. `lost`: nor is it later. */
export type DeliveryProblem = { readonly why: string; readonly final?: boolean; readonly lost?: boolean };

export type QueueOptions = {
  /** Failed deliveries get a line in the log of this directory. */
  readonly stateDirectory: string;
  /** Milliseconds before each further try. */
  readonly waits?: readonly number[];
  /** Milliseconds that `settle` waits for unfinished deliveries. */
  readonly graceMs?: number;
  /** Milliseconds before a postponed delivery is tried again; doubled each time. */
  readonly againMs?: number;
};

type DeliveryQueue = {
  /** Returns at once. */
  deliver(delivery: Delivery): void;
  /** Resolves when every delivery has succeeded or was given up. Deliveries that take longer than the grace are given up. */
  settle(graceMs?: number): Promise<void>;
};

const mostWaiting = 100;

/** Delivers in the background and tries again after growing pauses. */
export function deliveryQueue(options: QueueOptions): DeliveryQueue {
  const { stateDirectory, waits = [1_000, 5_000, 30_000], graceMs = 10_000, againMs = 5 * 60_000 } = options;
  const stopped = new AbortController();
  const lanes = new Map<string, { last: Promise<void>; waiting: number }>();
  const postponed = new Set<NodeJS.Timeout>();

  const giveUp = (delivery: Delivery, pause: number, how: string, isLost = false): void => {
    const isPostponed = delivery.isDurable === true && !isLost;
    logLine(stateDirectory, `${delivery.label}: ${isPostponed ? 'postponed' : 'given up'}${how}`);
    if (!isPostponed || stopped.signal.aborted) return;
    const timer = setTimeout(() => {
      postponed.delete(timer);
      enqueue(delivery, pause * 2);
    }, pause).unref();
    postponed.add(timer);
  };
  const attempt = async (delivery: Delivery, pause: number): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      const problem = await delivery.send(stopped.signal);
      if (problem === null) return;
      const wait = waits[tries - 1];
      if (problem.final === true || wait === undefined || stopped.signal.aborted)
        return giveUp(delivery, pause, ` after ${tries}: ${problem.why}`, problem.lost);
      await sleep(wait, undefined, { signal: stopped.signal }).catch((cause: unknown) => {
        if (!stopped.signal.aborted) throw cause;
      });
      if (stopped.signal.aborted) return giveUp(delivery, pause, ` after ${tries}, at the end: ${problem.why}`);
    }
  };
  const enqueue = (delivery: Delivery, pause: number): void => {
    const lane = lanes.get(delivery.lane) ?? { last: Promise.resolve(), waiting: 0 };
    if (lane.waiting >= mostWaiting) {
      giveUp(delivery, pause, ': too many are waiting');
      return;
    }
    lane.waiting += 1;
    lane.last = lane.last
      .then(() => attempt(delivery, pause))
      .finally(() => {
        lane.waiting -= 1;
      });
    lanes.set(delivery.lane, lane);
  };

  return {
    deliver: (delivery) => enqueue(delivery, againMs),
    async settle(grace = graceMs) {
      for (const timer of postponed) clearTimeout(timer);
      const timer = setTimeout(() => stopped.abort(), grace);
      await Promise.all([...lanes.values()].map(({ last }) => last));
      clearTimeout(timer);
    },
  };
}
