import type { LedgerEvent } from '../domain/ledger/events.ts';
import type { Ledger, Stored } from '../ports/ledger.ts';

type Waiting = { readonly asked: Stored; heard(event: LedgerEvent): void };

const hubs = new WeakMap<Ledger, Hub>();
type Hub = { readonly waiting: Set<Waiting>; listening: AsyncDisposable | null };

/**
 * Tells what happens in the stream of a request after it, until it is disposed. However many wait, the ledger is followed once:
 * the first starts it, the last ends it.
 */
export async function hearAfter(
  ledger: Ledger,
  asked: Stored,
  heard: (event: LedgerEvent) => void,
): Promise<AsyncDisposable> {
  const hub = hubs.get(ledger) ?? { waiting: new Set(), listening: null };
  hubs.set(ledger, hub);
  const one: Waiting = { asked, heard };
  hub.waiting.add(one);
  hub.listening ??= ledger.subscribe(asked.seq, (stored) => {
    for (const { asked: after, heard: tell } of hub.waiting)
      if (stored.stream === after.stream && stored.seq > after.seq) tell(stored.event);
  });
  const hearing: AsyncDisposable = {
    [Symbol.asyncDispose]: async () => {
      hub.waiting.delete(one);
      if (hub.waiting.size > 0) return;
      const { listening } = hub;
      hub.listening = null;
      await listening?.[Symbol.asyncDispose]();
    },
  };
  try {
    // what came after the request and before it was listened for
    for (const { event } of await ledger.read(asked.stream, asked.position)) heard(event);
    return hearing;
  } catch (error) {
    await hearing[Symbol.asyncDispose]();
    throw error;
  }
}
