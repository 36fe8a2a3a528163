import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Ledger, LedgerUnavailable, type Stored } from '../../ports/ledger.ts';
import { beginning, type Cursor, isAfter } from '../../protocol/cursor.ts';
import { encode } from './encoding.ts';
import type { FeedLimits } from './limits.ts';
import { narrator } from './narrator.ts';
import type { Sink } from './sink.ts';
import type { Telling } from './telling.ts';

export type Listener = {
  readonly channel: string;
  /** What follows this is told, each once and in order. */
  readonly after: Cursor;
  readonly sink: Sink;
  /** Nothing more is told. `resume` is the last that was written. */
  dropped(resume: Cursor, why: 'slow' | 'unavailable'): void;
};

/** The events of one repository, for many listeners. */
export interface Feed extends AsyncDisposable {
  /** Where one would begin: after this cursor, or with null from now on. Null: the ledger has not come so far. */
  place(after: Cursor | null): Promise<Cursor | null>;
  /** Begins to tell; the answer ends it. */
  follow(listener: Listener): () => void;
  listeners(): number;
}

type Follower = Listener & {
  /** Everything up to this event is written, or was not meant for it. */
  seen: number;
  written: Cursor;
  gone: boolean;
};

/**
 * One subscription to the ledger. Who is up to date is *live* and shares one piece of bytes with all others of its channel,
 * one write for all events of a moment. Who is not, or takes its bytes too slowly, reads on from the ledger at its own pace until it
 * is: so nobody holds up another, and nobody has more in memory than `highWater` and one batch.
 */
export function feedOf(
  repository: string,
  ledger: Pick<Ledger, 'head' | 'read' | 'readAll' | 'subscribe'>,
  limits: FeedLimits,
  fault: (error: unknown) => void,
): Feed {
  const followers = new Set<Follower>();
  const live = new Set<Follower>();
  const narrateLive = narrator(repository, ledger);
  let pending: Stored[] = [];
  /** Every live follower has seen all up to `told`; the ledger has handed us all up to `known`. */
  let [told, known] = [0, 0];
  let isTelling = false;
  let subscription: Promise<AsyncDisposable> | null = null;

  const started = async (): Promise<void> => {
    subscription ??= start();
    try {
      await subscription;
    } catch (error) {
      subscription = null;
      throw error;
    }
  };
  const start = async (): Promise<AsyncDisposable> => {
    told = known = await ledger.head();
    return ledger.subscribe(known, heard);
  };
  const heard = (stored: Stored): void => {
    known = stored.seq;
    if (live.size === 0) told = known;
    else if (pending.length <= limits.burst) pending.push(stored);
    if (pending.length === 0 || isTelling) return;
    isTelling = true;
    // before the next append keeps this process from writing
    queueMicrotask(turn);
  };

  /** What comes at once, or within the rest after it, is one write for each listener. */
  const tell = async (): Promise<void> => {
    const [batch, last] = [pending, known];
    pending = [];
    const tellings = batch.length > limits.burst ? null : await narrateLive(batch);
    told = Math.max(told, last);
    if (tellings === null) for (const follower of [...live]) catchUp(follower);
    else tellLive(tellings, batch[0]?.seq ?? 0);
  };
  const turn = (): void => {
    tell()
      .catch((error: unknown) => {
        if (!(error instanceof LedgerUnavailable)) fault(error);
        // each finds out for itself whether the ledger can be read again
        told = known;
        for (const follower of [...live]) catchUp(follower);
      })
      .finally(() => {
        setTimeout(() => {
          if (pending.length > 0) turn();
          else isTelling = false;
        }, limits.restMs).unref();
      });
  };

  const tellLive = (tellings: readonly Telling[], first: number): void => {
    const shared = new Map<string, Piece>();
    for (const follower of live) {
      const { channel, sink } = follower;
      if (sink.waiting() > limits.highWater) {
        catchUp(follower);
        continue;
      }
      const key = `${sink.encoding} ${channel}`;
      const isFresh = follower.seen < first && follower.after.seq < first;
      const piece = (isFresh ? shared.get(key) : undefined) ?? pieceFor(follower, tellings);
      if (isFresh) shared.set(key, piece);
      write(follower, piece);
      follower.seen = Math.max(follower.seen, tellings.at(-1)?.at.seq ?? 0);
    }
  };

  const catchUp = (follower: Follower): void => {
    live.delete(follower);
    readOn(follower).catch((error: unknown) => {
      if (!(error instanceof LedgerUnavailable)) fault(error);
      drop(follower, 'unavailable');
    });
  };
  const readOn = async (follower: Follower): Promise<void> => {
    const narrate = narrator(repository, ledger);
    while (!follower.gone) {
      const { sink } = follower;
      if (sink.waiting() > limits.highWater && !(await sink.drained(limits.patienceMs))) return drop(follower, 'slow');
      if (follower.gone) return;
      if (follower.seen >= told) {
        live.add(follower);
        return;
      }
      const batch = await ledger.readAll(follower.seen, limits.batch);
      write(follower, pieceFor(follower, await narrate(batch)));
      follower.seen = batch.at(-1)?.seq ?? told;
      // others have their turn before the next batch
      await nextTurn();
    }
  };
  const drop = (follower: Follower, why: 'slow' | 'unavailable'): void => {
    if (follower.gone) return;
    leave(follower);
    follower.dropped(follower.written, why);
  };
  const leave = (follower: Follower): void => {
    follower.gone = true;
    followers.delete(follower);
    live.delete(follower);
  };

  return {
    async place(after) {
      await started();
      const head = await ledger.head();
      if (after !== null) return after.seq > head ? null : after;
      const [last] = head === 0 ? [] : await ledger.readAll(head - 1, 1);
      const tellings = last === undefined ? [] : await narrator(repository, ledger)([last]);
      return tellings.at(-1)?.at ?? beginning;
    },
    follow(listener) {
      const { after } = listener;
      // the event of the cursor is read once more: some that are made from it may come after it
      const follower = { ...listener, seen: Math.max(0, after.seq - 1), written: after, gone: false };
      followers.add(follower);
      catchUp(follower);
      return () => leave(follower);
    },
    listeners: () => followers.size,
    async [Symbol.asyncDispose]() {
      for (const follower of followers) leave(follower);
      await (await subscription)?.[Symbol.asyncDispose]();
    },
  };
}

type Piece = { readonly bytes: Buffer; readonly last: Cursor | null };

function pieceFor({ channel, sink, after, seen }: Follower, tellings: readonly Telling[]): Piece {
  const news = tellings.filter(({ at, channels }) => at.seq > seen && isAfter(at, after) && channels.has(channel));
  return { bytes: encode(sink.encoding, channel, news), last: news.at(-1)?.at ?? null };
}

function write(follower: Follower, { bytes, last }: Piece): void {
  follower.sink.write(bytes);
  follower.written = last ?? follower.written;
}
