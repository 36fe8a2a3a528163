import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Ledger, LedgerUnavailable, type Stored, type Stream } from '../ports/ledger.ts';

/** Hands the events of a ledger to one function, each once and in order. */
export type Follower = {
  /** Hands over everything that is in the ledger by now. Rejects when the ledger cannot be read; the next call makes up for it. */
  catchUp(): Promise<void>;
  /** The last event that was handed over. */
  seq(): number;
  /** Hands over new events as they are committed, until disposed. Events that cannot be read now follow later. */
  listen(): AsyncDisposable;
};

type FollowedLedger = Pick<Ledger, 'readAll' | 'subscribe'>;
/** The last event that was handed over. */
type Last = Pick<Stored, 'seq' | 'position'>;

/** All listeners of a ledger in this process share one subscription: the first starts it, the last ends it. */
type Hub = { readonly listeners: Set<(stored: Stored) => void>; subscription: AsyncDisposable | null };
const hubs = new WeakMap<FollowedLedger, Hub>();

const batchSize = 500;
const retryMs = 1_000;

/** Follows the whole ledger after an event. */
export function followLedger(ledger: FollowedLedger, take: (stored: Stored) => void, after?: Last): Follower {
  return follow(ledger, take, after, {
    read: ({ seq }) => ledger.readAll(seq, batchSize),
    concerns: () => true,
    follows: (stored, last) => stored.seq === last.seq + 1,
  });
}

/** Follows one stream after an event, without reading the others. */
export function followStream(
  ledger: FollowedLedger & Pick<Ledger, 'read'>,
  stream: Stream,
  take: (stored: Stored) => void,
  after?: Last,
): Follower {
  return follow(ledger, take, after, {
    read: ({ position }) => ledger.read(stream, position),
    concerns: (stored) => stored.stream === stream,
    follows: (stored, last) => stored.position === last.position + 1,
  });
}

type Part = {
  read(last: Last): Promise<readonly Stored[]>;
  concerns(stored: Stored): boolean;
  /** True when no event of this part lies between the two. */
  follows(stored: Stored, last: Last): boolean;
};

function follow(ledger: FollowedLedger, take: (stored: Stored) => void, after: Last | undefined, part: Part): Follower {
  let last: Last = after ?? { seq: 0, position: 0 };
  let reading = Promise.resolve();
  let next: Promise<void> | null = null;

  const handOver = (stored: Stored): void => {
    if (stored.seq <= last.seq) return;
    last = stored;
    take(stored);
  };
  const read = async (): Promise<void> => {
    // callers from here on may know of events that this read does not see
    next = null;
    for (;;) {
      const batch = await part.read(last);
      batch.forEach(handOver);
      if (batch.length !== batchSize) return;
    }
  };
  // all callers of one turn of the event loop share one read, which begins after they called
  const catchUp = async (): Promise<void> => {
    next ??= reading.then(() => nextTurn()).then(read);
    reading = next.catch(() => undefined);
    await next;
  };
  const catchUpLater = (): void => {
    catchUp().catch((error: unknown) => {
      if (!(error instanceof LedgerUnavailable)) throw error;
      setTimeout(catchUpLater, retryMs).unref();
    });
  };
  const hear = (stored: Stored): void => {
    if (!part.concerns(stored) || stored.seq <= last.seq) return;
    if (part.follows(stored, last)) handOver(stored);
    else catchUpLater();
  };

  return {
    catchUp,
    seq: () => last.seq,
    listen: () => {
      const hub = hubs.get(ledger) ?? { listeners: new Set(), subscription: null };
      hubs.set(ledger, hub);
      hub.listeners.add(hear);
      if (hub.subscription !== null) catchUpLater();
      hub.subscription ??= ledger.subscribe(last.seq, (stored) => {
        for (const listener of hub.listeners) listener(stored);
      });
      return {
        [Symbol.asyncDispose]: async () => {
          hub.listeners.delete(hear);
          if (hub.listeners.size > 0) return;
          const { subscription } = hub;
          hub.subscription = null;
          await subscription?.[Symbol.asyncDispose]();
        },
      };
    },
  };
}

/** True when a coordinator has started. False when `start` ended without one, or after 10 seconds. */
export async function coordinatorStart(ledger: Ledger, start: () => Promise<unknown>): Promise<boolean> {
  const started = Promise.withResolvers<boolean>();
  const after = { seq: await ledger.head(), position: 0 };
  const take = ({ event }: Stored): void => {
    if (event.type === 'coordinator-started') started.resolve(true);
  };
  const follower = followLedger(ledger, take, after);
  await using _listening = follower.listen();
  void start()
    .then(() => follower.catchUp())
    .then(() => started.resolve(false), started.reject);
  const patience = setTimeout(() => started.resolve(false), 10_000);
  try {
    return await started.promise;
  } finally {
    clearTimeout(patience);
  }
}
