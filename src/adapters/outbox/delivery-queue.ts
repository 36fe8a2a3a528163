import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Deliveries, pendingIn, type WebhookEvent } from '../../domain/board/notices.ts';
import { isEnvironmental } from '../../ports/failures.ts';
import { writeDurably } from '../files/durable-file.ts';
import { readCache } from '../files/state-file.ts';
import { parseFields } from '../files/untrusted-json.ts';

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

/** A journal in the state directory. A damaged one counts as empty. */
type Journal<T> = {
  read(stateDirectory: string): T;
  /** Durable when it returns. Throws when there is no room. */
  write(stateDirectory: string, content: T): void;
};

const journal = <T>(file: string, empty: T, parse: (text: string) => T | null): Journal<T> => ({
  read: (stateDirectory) => readCache(join(stateDirectory, file), parse) ?? empty,
  write: (stateDirectory, content) => writeDurably(join(stateDirectory, file), `${JSON.stringify(content)}\n`),
});

/** Items that were sent and are still open. */
const itemJournal = (file: string): Journal<readonly string[]> =>
  journal<readonly string[]>(file, [], (text) => {
    const items: unknown = JSON.parse(text);
    return Array.isArray(items) ? items.filter((item): item is string => typeof item === 'string') : null;
  });

export const noticeItems = itemJournal('notices.json');
export const threadItems = itemJournal('thread-posts.json');

const text = z.string();
const event = z.looseObject({ schema: z.literal('tidegate.webhook/1'), id: text, at: text, news: text, run: text });
const deliveriesSchema = z.object({
  since: z.iso.datetime(),
  all: z.array(
    z.object({
      item: text,
      lasting: z.boolean(),
      at: z.iso.datetime(),
      event: z.custom<WebhookEvent>((value) => event.safeParse(value).success).nullable(),
    }),
  ),
});

/** Null until there is a webhook: then nothing is owed. */
export const deliveryJournal = journal<Deliveries | null>(
  'webhooks.json',
  null,
  (content) => deliveriesSchema.safeParse(parseFields(content)).data ?? null,
);

/** Tells whether a webhook is owed something that no coordinator has delivered yet. */
export function owesDeliveries(stateDirectory: string): boolean {
  const deliveries = deliveryJournal.read(stateDirectory);
  return deliveries !== null && pendingIn(deliveries).length > 0;
}

/** Adds a line to `notices.log`, for a person who wonders why something did not arrive. A full disk loses the line. */
export function logLine(stateDirectory: string, line: string): void {
  try {
    appendFileSync(join(stateDirectory, 'notices.log'), `${line}\n`, { mode: 0o600 });
  } catch (error) {
    if (!isEnvironmental(error)) throw error;
  }
}
