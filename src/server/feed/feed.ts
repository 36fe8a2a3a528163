import { setImmediate as nextTurn } from 'node:timers/promises';
import { followLedger } from '../../engine/follow-ledger.ts';
import { type Ledger, LedgerUnavailable, type Stored } from '../../ports/ledger.ts';
import { beginning, type Cursor, isAfter } from '../../protocol/envelope.ts';
import type { ServedRepository } from '../site.ts';
import { bytesOf, type EncodedEvent, eventEncoder } from './encoded-event.ts';
import {
  type DropReason,
  emptyFeed,
  evolveFeed,
  type FeedEffect,
  type FeedInput,
  type FeedPlace,
} from './feed-state.ts';
import type { Sink } from './sink.ts';

export type Listener = {
  readonly channel: string;
  /** The listener gets every event after this cursor, once and in order. */
  readonly after: Cursor;
  readonly sink: Sink;
  /** Called when nothing more will be written. `resume` is the last cursor that was written. */
  dropped(resume: Cursor, why: DropReason): void;
};

/** The events of one repository, for many listeners. */
interface Feed extends AsyncDisposable {
  /** Returns the cursor to begin after; for null that of the newest event. Null when the ledger has not come so far. */
  place(after: Cursor | null): Promise<Cursor | null>;
  /** Begins to write to a listener; the result ends it. */
  follow(listener: Listener): () => void;
  listeners(): number;
}

/** The feeds of all repositories that have listeners. */
export interface Feeds extends AsyncDisposable {
  of(repository: ServedRepository): Feed;
  /** False when no more listeners are accepted. */
  hasRoom(): boolean;
  readonly limits: FeedLimits;
}

export type FeedLimits = {
  /** Events that are read for one listener at a time. */
  readonly batch: number;
  /** The most events at once that listeners share. Of more, each reads its own. */
  readonly burst: number;
  /** Bytes that may wait for a listener before nothing more is written to it. */
  readonly highWater: number;
  /** A listener that takes nothing for this time is dropped. */
  readonly patienceMs: number;
  /** Between two writes to the same listener. */
  readonly restMs: number;
  /** All listeners together. */
  readonly listeners: number;
  /** Between two signs of life. A client that misses two is gone. */
  readonly heartbeatMs: number;
};

export const usualLimits: FeedLimits = {
  batch: 100,
  burst: 1_000,
  highWater: 1 << 20,
  patienceMs: 15_000,
  restMs: 10,
  listeners: 1_000,
  heartbeatMs: 15_000,
};

export function feedsOf(fault: (error: unknown) => void, limits: FeedLimits = usualLimits): Feeds {
  const feeds = new Map<Ledger, Feed>();
  return {
    limits,
    of({ id, repo: { ledger } }) {
      const feed = feeds.get(ledger) ?? feedOf(id, ledger, limits, fault);
      feeds.set(ledger, feed);
      return feed;
    },
    hasRoom: () => [...feeds.values()].reduce((sum, feed) => sum + feed.listeners(), 0) < limits.listeners,
    async [Symbol.asyncDispose]() {
      for (const feed of feeds.values()) await feed[Symbol.asyncDispose]();
    },
  };
}

/** A listener with the last cursor that was written to it. It has an encoder of its own while it is behind. */
type Connection = Listener & { written: Cursor; encoder: ReturnType<typeof eventEncoder> | null };

/** Performs the effects of `evolveFeed`. No listener has more in memory than `highWater` and one batch. */
function feedOf(repository: string, ledger: Ledger, limits: FeedLimits, fault: (error: unknown) => void): Feed {
  const connections = new Map<number, Connection>();
  const encoderOfAll = eventEncoder(repository, ledger);
  let state = emptyFeed;
  let lastId = 0;
  let latest: readonly EncodedEvent[] = [];
  let subscription: Promise<AsyncDisposable> | null = null;

  const dispatch = (input: FeedInput): void => {
    const next = evolveFeed(state, input, limits.burst);
    state = next.state;
    next.effects.forEach(perform);
  };
  const perform = (effect: FeedEffect): void => {
    switch (effect.do) {
      case 'begin':
        // before the next append keeps this process from writing
        queueMicrotask(() => dispatch({ type: 'turn' }));
        break;
      case 'encode':
        void encode(effect);
        break;
      case 'write':
        writeEvents(connections, latest, effect);
        break;
      case 'rest':
        setTimeout(() => dispatch({ type: 'rested' }), limits.restMs).unref();
        break;
      case 'wait':
        attend(effect.place, ({ sink }) => waitForRoom(sink, effect.place, limits));
        break;
      case 'read':
        attend(effect.place, (connection) => readBatch(connection, effect.place));
        break;
      case 'drop': {
        const connection = connections.get(effect.id);
        connections.delete(effect.id);
        connection?.dropped(connection.written, effect.why);
      }
    }
  };
  /** Works for one listener that is behind. The result is of no use once it has left. */
  const attend = ({ id }: FeedPlace, work: (connection: Connection) => FeedInput | Promise<FeedInput>): void => {
    const connection = connections.get(id);
    if (connection === undefined) return;
    const proceed = (input: FeedInput): void => {
      if (!connections.has(id)) return;
      dispatch(input);
      if (state.live.has(id)) connection.encoder = null;
    };
    const result = work(connection);
    if (result instanceof Promise)
      result.then(proceed, (error: unknown) => {
        if (!(error instanceof LedgerUnavailable)) fault(error);
        proceed({ type: 'failed', id, why: 'unavailable' });
      });
    else proceed(result);
  };
  const readBatch = async (connection: Connection, place: FeedPlace): Promise<FeedInput> => {
    connection.encoder ??= eventEncoder(repository, ledger);
    const batch = await ledger.readAll(place.seen, limits.batch);
    write(connection, pieceFor(connection, place.seen, await connection.encoder(batch)));
    // others have their turn before the next batch
    await nextTurn();
    return { type: 'read', place, last: batch.at(-1)?.seq ?? null };
  };
  const encode = async ({ batch, last }: FeedEffect & { readonly do: 'encode' }): Promise<void> => {
    try {
      latest = await encoderOfAll(batch);
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) fault(error);
      return dispatch({ type: 'encoding-failed' });
    }
    const isSlow = (id: number): boolean => (connections.get(id)?.sink.waiting() ?? 0) > limits.highWater;
    const slow = new Set([...state.live.keys()].filter(isSlow));
    dispatch({ type: 'encoded', first: batch[0]?.seq ?? 0, last, slow });
  };
  const start = async (): Promise<AsyncDisposable> => {
    const head = await ledger.head();
    dispatch({ type: 'started', head });
    const take = (stored: Stored): void => dispatch({ type: 'committed', stored });
    return followLedger(ledger, take, { seq: head, position: 0 }).listen();
  };
  const started = async (): Promise<void> => {
    subscription ??= start();
    try {
      await subscription;
    } catch (error) {
      subscription = null;
      throw error;
    }
  };
  const leave = (id: number): void => {
    connections.delete(id);
    dispatch({ type: 'left', id });
  };

  return {
    async place(after) {
      await started();
      const head = await ledger.head();
      if (after !== null) return after.seq > head ? null : after;
      const newest = await eventEncoder(repository, ledger)(head === 0 ? [] : await ledger.readAll(head - 1, 1));
      return newest.at(-1)?.at ?? beginning;
    },
    follow(listener) {
      const { after } = listener;
      lastId += 1;
      const id = lastId;
      connections.set(id, { ...listener, written: after, encoder: null });
      dispatch({ type: 'joined', id, after: after.seq });
      return () => leave(id);
    },
    listeners: () => connections.size,
    async [Symbol.asyncDispose]() {
      for (const id of connections.keys()) leave(id);
      await (await subscription)?.[Symbol.asyncDispose]();
    },
  };
}

function waitForRoom(sink: Sink, place: FeedPlace, limits: FeedLimits): FeedInput | Promise<FeedInput> {
  if (sink.waiting() <= limits.highWater) return { type: 'ready', place };
  return sink
    .drained(limits.patienceMs)
    .then((isDrained) => (isDrained ? { type: 'ready', place } : { type: 'failed', id: place.id, why: 'slow' }));
}

/** One piece of bytes serves all listeners of a channel. */
function writeEvents(
  connections: ReadonlyMap<number, Connection>,
  events: readonly EncodedEvent[],
  { whole, partly }: FeedEffect & { readonly do: 'write' },
): void {
  const shared = new Map<string, Piece>();
  for (const id of whole) {
    const connection = connections.get(id);
    if (connection === undefined) continue;
    const key = `${connection.sink.encoding} ${connection.channel}`;
    const piece = shared.get(key) ?? pieceFor(connection, 0, events);
    shared.set(key, piece);
    write(connection, piece);
  }
  for (const { id, seen } of partly) {
    const connection = connections.get(id);
    if (connection !== undefined) write(connection, pieceFor(connection, seen, events));
  }
}

type Piece = { readonly bytes: Buffer; readonly last: Cursor | null };

function pieceFor({ channel, sink, after }: Listener, seen: number, events: readonly EncodedEvent[]): Piece {
  const due = events.filter(({ at, channels }) => at.seq > seen && isAfter(at, after) && channels.has(channel));
  return { bytes: bytesOf(sink.encoding, channel, due), last: due.at(-1)?.at ?? null };
}

function write(connection: Connection, { bytes, last }: Piece): void {
  connection.sink.write(bytes);
  connection.written = last ?? connection.written;
}
