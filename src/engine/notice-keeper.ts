import { dueNotices } from '../domain/notices.ts';
import type { RunState } from '../domain/run.ts';
import type { Clock } from '../ports/clock.ts';
import { isEnvironmental } from '../ports/failures.ts';
import type { Notices } from '../ports/notices.ts';

export type NoticeKeeper = {
  /** Something happened: whoever is needed is told, unless it is over within a moment. */
  look(): void;
  /** Tells at once what is open: when nothing goes on by itself, nobody will look again. */
  stop(): Promise<void>;
};

/** Somebody who sits before it answers within this time, and need not be told. */
const momentMs = 5_000;

/**
 * Tells people once of each item that needs them. What is told is remembered first, so a crash may swallow a notice and
 * never repeats one.
 */
export function keepNotices(world: {
  readonly notices: Notices;
  readonly clock: Clock;
  readonly runs: () => readonly (RunState | null)[];
  readonly failed: (cause: unknown) => void;
}): NoticeKeeper {
  const { notices, clock } = world;
  const stopped = new AbortController();
  let told = notices.told();
  let waiting: Promise<void> | null = null;

  const due = () => {
    const runs = world.runs().flatMap((run) => run ?? []);
    return dueNotices(runs, told);
  };
  const tell = async (isAwaited: (item: string) => boolean): Promise<void> => {
    const found = due();
    const now = found.due.filter(({ item }) => isAwaited(item));
    const items = [...found.stillOpen, ...now.map(({ item }) => item)];
    if (items.join('\n') !== told.join('\n') && !remember(items)) return;
    for (const notice of now) await notices.send(notice);
  };
  /** False: there is no room to remember it, so it must not be told either. */
  const remember = (items: readonly string[]): boolean => {
    try {
      notices.remember(items);
      told = items;
      return true;
    } catch (cause) {
      if (!isEnvironmental(cause)) throw cause;
      return false;
    }
  };
  const wait = async (): Promise<void> => {
    const seen = new Set(due().due.map(({ item }) => item));
    await clock.sleep(momentMs, stopped.signal);
    if (!stopped.signal.aborted) await tell((item) => seen.has(item));
    waiting = null;
    if (!stopped.signal.aborted) look();
  };
  const look = (): void => {
    const found = due();
    const isChanged = found.due.length > 0 || found.stillOpen.length < told.length;
    if (!isChanged || waiting !== null || stopped.signal.aborted) return;
    waiting = wait();
    waiting.catch(world.failed);
  };
  return {
    look,
    stop: async () => {
      stopped.abort();
      await waiting;
      await tell(() => true);
    },
  };
}
