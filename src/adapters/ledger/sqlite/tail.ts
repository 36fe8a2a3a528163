import { type FSWatcher, watch } from 'node:fs';
import { LedgerUnavailable, type Stored } from '../../../ports/ledger.ts';
import { guarded } from './errors.ts';

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
export function tail(source: {
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
