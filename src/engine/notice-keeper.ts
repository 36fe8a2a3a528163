import { dueNews, type News } from '../domain/board/news.ts';
import type { RunState } from '../domain/run/run.ts';
import type { Clock } from '../ports/clock.ts';
import { isEnvironmental } from '../ports/failures.ts';
import type { Ways } from '../ports/notices.ts';

type NewsKeeper = {
  /** What lasts and is there already is no news: whoever saw it come has told it, or it is owed. */
  begin(): void;
  /** Something happened: it is told, unless it is over within a moment. */
  look(): void;
  /** Tells at once what is open: when nothing goes on by itself, nobody will look again. */
  stop(): Promise<void>;
};

/** Somebody who sits before it answers within this time, and need not be told. */
const momentMs = 5_000;

/**
 * Tells once of each item. What is told is remembered first, so a crash may swallow one and never repeats one; ways that owe something
 * see to it by themselves.
 */
export function keepNews<N extends News>(world: {
  readonly ways: Ways<N>;
  /** All that there is to tell of a run. */
  readonly newsOf: (run: RunState) => readonly N[];
  readonly clock: Clock;
  readonly runs: () => readonly (RunState | null)[];
  readonly failed: (cause: unknown) => void;
}): NewsKeeper {
  const { ways, clock } = world;
  const stopped = new AbortController();
  let told = ways.told();
  let waiting: Promise<void> | null = null;

  const open = (): readonly N[] => world.runs().flatMap((run) => (run === null ? [] : world.newsOf(run)));
  const tell = async (isAwaited: (item: string) => boolean): Promise<void> => {
    const all = open();
    const found = dueNews(all, told);
    const now = found.due.filter(({ item }) => isAwaited(item));
    if (!remember([...found.stillOpen, ...now.map(({ item }) => item)], all)) return;
    for (const news of now) await ways.send(news);
  };
  /** False: there is no room to remember it, so it must not be told either. */
  const remember = (items: readonly string[], all: readonly N[]): boolean => {
    const lasting = new Set(all.filter((news) => news.lasting).map(({ item }) => item));
    const passing = items.filter((item) => !lasting.has(item));
    try {
      if (passing.join('\n') !== told.filter((item) => !lasting.has(item)).join('\n')) ways.remember(passing);
      told = items;
      return true;
    } catch (cause) {
      if (!isEnvironmental(cause)) throw cause;
      return false;
    }
  };
  const wait = async (): Promise<void> => {
    const seen = new Set(dueNews(open(), told).due.map(({ item }) => item));
    await clock.sleep(momentMs, stopped.signal);
    if (!stopped.signal.aborted) await tell((item) => seen.has(item));
    waiting = null;
    if (!stopped.signal.aborted) look();
  };
  const look = (): void => {
    const found = dueNews(open(), told);
    const isChanged = found.due.length > 0 || found.stillOpen.length < told.length;
    if (!isChanged || waiting !== null || stopped.signal.aborted) return;
    waiting = wait();
    waiting.catch(world.failed);
  };
  return {
    begin: () => {
      const all = open();
      const owed = new Set(ways.owed?.(all).map(({ item }) => item));
      told = [...told, ...all.flatMap(({ item, lasting }) => (lasting && !owed.has(item) ? [item] : []))];
    },
    look,
    stop: async () => {
      stopped.abort();
      await waiting;
      await tell(() => true);
      await ways.settle();
    },
  };
}
