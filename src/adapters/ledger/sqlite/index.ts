import { type FSWatcher, watch } from 'node:fs';
import { isRequest } from '../../../domain/ledger/events.ts';
import { type Ledger, LedgerDamaged, LedgerUnavailable, type Stored } from '../../../ports/ledger.ts';
import { chain, draft, draftDcm, type SerializedEvents, storedOf } from '../chain.ts';
import { guarded, restoreBoth } from './errors.ts';
import { groupCommit } from './group-commit.ts';
import { inWriteLock, migrations, type Opened, openDatabase } from './open.ts';
import { verifyLedger } from './verify.ts';

type SqliteLedgerOptions = {
  readonly now?: () => Date;
  /** `chain` (default) walks and reads every event before the ledger is used; `head` trusts what lies before the head. */
  readonly check?: 'chain' | 'head';
  readonly busyMs?: number;
  readonly rereadMs?: number;
  readonly migrations?: readonly string[];
};

/** The ledger in one SQLite file with its head beside it, in a directory that exists. Rejects with `LedgerDamaged` or `LedgerUnavailable`. */
export async function openSqliteLedger(file: string, options: SqliteLedgerOptions = {}): Promise<Ledger> {
  const how = {
    busyMs: options.busyMs ?? 15_000,
    migrations: options.migrations ?? migrations,
    now: options.now ?? (() => new Date()),
  };
  const opened = guarded(file, () => openDatabase(file, how));
  try {
    if (options.check !== 'head') await refuseUnreadable(file, opened);
    return ledgerOf(file, opened, options);
  } catch (error) {
    opened.db.close();
    throw error;
  }
}

/** Also what a newer Tidegate wrote: whoever writes after an event must know what it means. */
async function refuseUnreadable(file: string, { rows, head }: Opened): Promise<void> {
  const verified = await verifyLedger(file, rows, head, (link) => guarded(file, () => storedOf(link)));
  if (verified.ok) return;
  const where = verified.seq === null ? '' : `seq ${verified.seq}: `;
  throw new LedgerDamaged(file, `${where}${verified.problem}`, restoreBoth(file));
}

function ledgerOf(file: string, { db, rows, head }: Opened, options: SqliteLedgerOptions): Ledger {
  const now = options.now ?? (() => new Date());
  const subscriptions = tail({
    file,
    headPath: head.path,
    rereadMs: options.rereadMs ?? 5_000,
    read: (after, limit) => guarded(file, () => rows.after(after, limit).map(storedOf)),
  });
  const writer = groupCommit(db, { file, recordHead, committed: subscriptions.pump });

  /** In a lock of its own: of two processes that commit one after the other, the slower must not write the older head last. */
  function recordHead(): void {
    inWriteLock(db, () => head.advance({ ...rows.tip(), epoch: rows.epoch().epoch }));
  }

  function store(drafted: SerializedEvents, epoch: number): readonly Stored[] {
    const after = { tip: rows.tip(), position: rows.lastPosition(drafted.stream) };
    const links = chain(drafted, after, { epoch, at: now().toISOString() });
    for (const link of links) rows.insert(link);
    return links.map(storedOf);
  }

  return {
    read: async (stream, after = 0) => guarded(file, () => rows.ofStream(stream, after).map(storedOf)),
    readAll: async (after = 0, limit?: number) => guarded(file, () => rows.after(after, limit).map(storedOf)),
    head: async () => guarded(file, () => rows.tip().seq),
    streams: async () => guarded(file, rows.streams),
    append: async (stream, expected, events, epoch) => {
      const drafted = draft(stream, events);
      return writer.run(() => {
        const current = rows.epoch();
        if (current.holder === null || current.epoch !== epoch) return { outcome: 'stale-epoch' };
        if (rows.lastPosition(stream) !== expected) return { outcome: 'conflict' };
        return { outcome: 'appended', stored: store(drafted, epoch) };
      });
    },
    request: async (stream, event) => {
      if (!isRequest(event)) throw new TypeError('only requests may be appended without an epoch');
      const drafted = draft(stream, [event]);
      const [stored] = await writer.run(() => store(drafted, 0));
      if (stored === undefined) throw new Error('a request stores one event');
      return stored;
    },
    appendDcm: async (session, expected, events) => {
      const drafted = draftDcm(session, events);
      return writer.run(() => {
        if (rows.lastPosition(drafted.stream) !== expected) return { outcome: 'conflict' };
        return { outcome: 'appended', stored: store(drafted, 0) };
      });
    },
    takeEpoch: (candidate, isAlive) =>
      writer.run(() => {
        const { epoch, holder } = rows.epoch();
        if (holder !== null && isAlive(holder)) return { outcome: 'held', by: holder, epoch };
        rows.setEpoch({ epoch: epoch + 1, holder: candidate });
        return { outcome: 'taken', epoch: epoch + 1 };
      }),
    releaseEpoch: (epoch) =>
      writer.run(() => {
        if (rows.epoch().epoch === epoch) rows.setEpoch({ epoch, holder: null });
      }),
    holder: async () => {
      const { epoch, holder } = guarded(file, rows.epoch);
      return holder === null ? null : { holder, epoch };
    },
    subscribe: subscriptions.subscribe,
    verify: () => verifyLedger(file, rows, head),
    [Symbol.asyncDispose]: async () => {
      if (!db.isOpen) return;
      writer.flush();
      subscriptions.close();
      db.close();
    },
  };
}

type Tail = {
  readonly subscribe: (after: number, listener: (stored: Stored) => void) => AsyncDisposable;
  /** Hands every subscriber the events that it has not seen. */
  readonly pump: () => void;
  readonly close: () => void;
};

/**
 * Subscriptions. Commits of this process pump directly; those of others are noticed by inotify on the head, which
 * every commit rewrites. The rare re-read serves only two cases: a writer killed between its commit and its head, and a
 * read that failed.
 */
function tail(source: {
  readonly file: string;
  readonly headPath: string;
  readonly rereadMs: number;
  readonly read: (after: number, limit: number) => readonly Stored[];
}): Tail {
  const subscribers = new Set<() => void>();
  let watching: { readonly watcher: FSWatcher; readonly timer: NodeJS.Timeout } | null = null;

  const pump = (): void => {
    for (const deliver of subscribers) deliver();
  };
  const start = (): void => {
    if (watching !== null) return;
    const watcher = guarded(source.file, () => watch(source.headPath, pump));
    watching = { watcher, timer: setInterval(pump, source.rereadMs).unref() };
  };
  const stop = (): void => {
    watching?.watcher.close();
    clearInterval(watching?.timer);
    watching = null;
  };

  return {
    subscribe: (after, listener) => {
      // Watching begins before the first read: what is committed in between is noticed by one of the two.
      start();
      let seen = after;
      const deliver = (): void => {
        while (subscribers.has(deliver)) {
          const batch = readOrWait(() => source.read(seen, batchSize));
          if (batch.length === 0) return;
          for (const stored of batch) {
            if (!subscribers.has(deliver)) return;
            if (stored.seq !== seen + 1) throw new Error(`subscription at seq ${seen} was given seq ${stored.seq}`);
            seen = stored.seq;
            listener(stored);
          }
        }
      };
      subscribers.add(deliver);
      setImmediate(deliver);
      return {
        [Symbol.asyncDispose]: async () => {
          subscribers.delete(deliver);
          if (subscribers.size === 0) stop();
        },
      };
    },
    pump,
    close: () => {
      subscribers.clear();
      stop();
    },
  };
}

const batchSize = 500;

/** Subscribers get no error for an unreadable disk: they continue at the next commit or re-read. */
function readOrWait(read: () => readonly Stored[]): readonly Stored[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof LedgerUnavailable) return [];
    throw error;
  }
}
