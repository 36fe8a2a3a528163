import type { Ledger } from '../../ports/ledger.ts';
import type { ServedRepository } from '../site.ts';
import { type Feed, feedOf } from './feed.ts';
import { type FeedLimits, usualLimits } from './limits.ts';

/** The feeds of all repositories that somebody listens to. */
export interface Feeds extends AsyncDisposable {
  of(repository: ServedRepository): Feed;
  /** False: no more listeners are taken. */
  hasRoom(): boolean;
  readonly limits: FeedLimits;
}

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
