import { dueUpdates, type Update } from '../domain/board/notices.ts';
import type { RunState } from '../domain/run/run.ts';
import type { Clock } from '../ports/clock.ts';
import { isEnvironmental } from '../ports/failures.ts';
import type { Outbox } from '../ports/outbox.ts';

export type Announcer = {
  /** Skips lasting updates that exist already: an earlier coordinator sent them, or the outbox owes them. */
  begin(): void;
  /** Something happened: sends new updates, unless they are over within a moment. */
  look(): void;
  /** Sends the open updates at once, because nobody will look again. */
  stop(): Promise<void>;
};

/** A person at the terminal answers within this time and needs no message. */
const momentMs = 5_000;

/** Sends each update once. An item is remembered before it is sent, so a crash may lose a message and never repeats one. */
export function announcer<U extends Update>(options: {
  readonly outbox: Outbox<U>;
  readonly updatesOf: (run: RunState) => readonly U[];
  readonly clock: Clock;
  readonly runs: () => readonly (RunState | null)[];
  readonly failed: (cause: unknown) => void;
}): Announcer {
  const { outbox, clock } = options;
  const stopped = new AbortController();
  let sent = outbox.sent();
  let waiting: Promise<void> | null = null;

  const openUpdates = (): readonly U[] => options.runs().flatMap((run) => (run === null ? [] : options.updatesOf(run)));
  const send = async (isDue: (item: string) => boolean): Promise<void> => {
    const open = openUpdates();
    const { due, stillOpen } = dueUpdates(open, sent);
    const updates = due.filter(({ item }) => isDue(item));
    if (!remember([...stillOpen, ...updates.map(({ item }) => item)], open)) return;
    for (const update of updates) await outbox.send(update);
  };
  /** False: there is no room to remember the items, so they must not be sent either. */
  const remember = (items: readonly string[], open: readonly U[]): boolean => {
    const lasting = new Set(open.filter((update) => update.lasting).map(({ item }) => item));
    const passing = items.filter((item) => !lasting.has(item));
    try {
      if (passing.join('\n') !== sent.filter((item) => !lasting.has(item)).join('\n')) outbox.remember(passing);
      sent = items;
      return true;
    } catch (cause) {
      if (!isEnvironmental(cause)) throw cause;
      return false;
    }
  };
  const sendAfterMoment = async (): Promise<void> => {
    const items = new Set(dueUpdates(openUpdates(), sent).due.map(({ item }) => item));
    await clock.sleep(momentMs, stopped.signal);
    if (!stopped.signal.aborted) await send((item) => items.has(item));
    waiting = null;
    if (!stopped.signal.aborted) look();
  };
  const look = (): void => {
    const { due, stillOpen } = dueUpdates(openUpdates(), sent);
    const isChanged = due.length > 0 || stillOpen.length < sent.length;
    if (!isChanged || waiting !== null || stopped.signal.aborted) return;
    waiting = sendAfterMoment();
    waiting.catch(options.failed);
  };
  return {
    begin: () => {
      const open = openUpdates();
      const owed = new Set(outbox.owed?.(open).map(({ item }) => item));
      sent = [...sent, ...open.flatMap(({ item, lasting }) => (lasting && !owed.has(item) ? [item] : []))];
    },
    look,
    stop: async () => {
      stopped.abort();
      await waiting;
      await send(() => true);
      await outbox.settle();
    },
  };
}
