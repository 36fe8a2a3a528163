import { type ChainLink, genesis, walkChain } from '../../../domain/ledger/chain.ts';
import { isRequest } from '../../../domain/ledger/events.ts';
import type { Holder, Ledger, Stored } from '../../../ports/ledger.ts';
import { chain, draft, draftDcm, firstLink, type SerializedEvents, sha256, storedOf } from '../chain.ts';

/** A ledger that lives as long as its process; for tests and dry runs. */
export function memoryLedger(options: { readonly now?: () => Date } = {}): Ledger {
  const now = options.now ?? (() => new Date());
  const links: ChainLink[] = [firstLink(now().toISOString())];
  const stored: Stored[] = links.map(storedOf);
  const subscriptions = new Set<() => void>();
  let epoch = 0;
  let holder: Holder | null = null;

  const positionOf = (stream: string) => links.findLast((link) => link.stream === stream)?.position ?? 0;
  const store = (drafted: SerializedEvents, epoch: number): readonly Stored[] => {
    const after = { tip: links.at(-1) ?? genesis, position: positionOf(drafted.stream) };
    const added = chain(drafted, after, { epoch, at: now().toISOString() });
    links.push(...added);
    const result = added.map(storedOf);
    stored.push(...result);
    setImmediate(() => {
      for (const pump of subscriptions) pump();
    });
    return result;
  };

  return {
    read: async (stream, after = 0) => stored.filter((one) => one.stream === stream && one.position > after),
    readAll: async (after = 0, limit = stored.length) => stored.slice(after, after + limit),
    head: async () => stored.length,
    streams: async () => [...new Set(stored.map((one) => one.stream))],
    append: async (stream, expected, events, claimed) => {
      const drafted = draft(stream, events);
      if (holder === null || claimed !== epoch) return { outcome: 'stale-epoch' };
      if (positionOf(stream) !== expected) return { outcome: 'conflict' };
      return { outcome: 'appended', stored: store(drafted, epoch) };
    },
    request: async (stream, event) => {
      if (!isRequest(event)) throw new TypeError('only requests may be appended without an epoch');
      const [one] = store(draft(stream, [event]), 0);
      if (one === undefined) throw new Error('a request stores one event');
      return one;
    },
    appendDcm: async (session, expected, events) => {
      const drafted = draftDcm(session, events);
      if (positionOf(drafted.stream) !== expected) return { outcome: 'conflict' };
      return { outcome: 'appended', stored: store(drafted, 0) };
    },
    takeEpoch: async (candidate, isAlive) => {
      if (holder !== null && isAlive(holder)) return { outcome: 'held', by: holder, epoch };
      epoch += 1;
      holder = candidate;
      return { outcome: 'taken', epoch };
    },
    releaseEpoch: async (released) => {
      if (released === epoch) holder = null;
    },
    holder: async () => (holder === null ? null : { holder, epoch }),
    subscribe: (after, listener) => {
      let seen = after;
      const pump = () => {
        while (subscriptions.has(pump)) {
          const next = stored[seen];
          if (next === undefined) return;
          seen = next.seq;
          listener(next);
        }
      };
      subscriptions.add(pump);
      setImmediate(pump);
      return {
        [Symbol.asyncDispose]: async () => {
          subscriptions.delete(pump);
        },
      };
    },
    verify: async () => {
      const walk = walkChain(sha256);
      for (const link of links) {
        const problem = walk.step(link);
        if (problem !== null) return { ok: false, seq: link.seq, problem };
      }
      return { ok: true, events: walk.tip().seq, head: walk.tip().hash };
    },
    [Symbol.asyncDispose]: async () => subscriptions.clear(),
  };
}
