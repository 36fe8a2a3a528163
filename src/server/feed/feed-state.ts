import type { Stored } from '../../ports/ledger.ts';

type ListenerId = number;
/** Everything up to the event `seen` was written to the listener, or is not for it. `after` is the event of its cursor. */
export type FeedPlace = { readonly id: ListenerId; readonly after: number; readonly seen: number };

/**
 * The feed of one ledger. A *live* listener has everything up to `sent` and shares its bytes with all others of its channel. Any other
 * listener is *behind*: it reads the ledger at its own pace, so no listener holds up another. Its place is not kept here, it travels
 * with effects and inputs.
 *
 *   behind ──▶ live       when it has seen everything up to `sent`
 *     ▲─────────┘         when it takes its bytes too slowly, or more events came than are kept for all
 */
export type FeedState = {
  /** The ledger has reported everything up to here. */
  readonly head: number;
  readonly sent: number;
  /** Reported events that are not sent yet. Holds at most one more than `burst`. */
  readonly pending: readonly Stored[];
  /** Events are being sent, or the rest after that is not over. */
  readonly isSending: boolean;
  readonly live: ReadonlyMap<ListenerId, FeedPlace>;
};

export type FeedInput =
  | { readonly type: 'started'; readonly head: number }
  | { readonly type: 'joined'; readonly id: ListenerId; readonly after: number }
  | { readonly type: 'left'; readonly id: ListenerId }
  | { readonly type: 'committed'; readonly stored: Stored }
  /** It is time to send the pending events. */
  | { readonly type: 'turn' }
  /** The events from `first` to `last` are encoded. Listeners of `slow` have too many bytes waiting. */
  | { readonly type: 'encoded'; readonly first: number; readonly last: number; readonly slow: ReadonlySet<ListenerId> }
  | { readonly type: 'encoding-failed' }
  | { readonly type: 'rested' }
  /** A listener that is behind has room for more bytes. */
  | { readonly type: 'ready'; readonly place: FeedPlace }
  /** A batch was written to it. `last` is its last event; null when there was none. */
  | { readonly type: 'read'; readonly place: FeedPlace; readonly last: number | null }
  | { readonly type: 'failed'; readonly id: ListenerId; readonly why: DropReason };

export type DropReason = 'slow' | 'unavailable';

export type FeedEffect =
  /** Leads to `turn`. */
  | { readonly do: 'begin' }
  /** Leads to `encoded` or `encoding-failed`. */
  | { readonly do: 'encode'; readonly batch: readonly Stored[]; readonly last: number }
  /** Writes the encoded events. Listeners of `whole` get all of them; those of `partly` only events after their place. */
  | { readonly do: 'write'; readonly whole: readonly ListenerId[]; readonly partly: readonly FeedPlace[] }
  /** Leads to `rested`. */
  | { readonly do: 'rest' }
  /** Leads to `ready` or `failed`. */
  | { readonly do: 'wait'; readonly place: FeedPlace }
  /** Leads to `read` or `failed`. */
  | { readonly do: 'read'; readonly place: FeedPlace }
  | { readonly do: 'drop'; readonly id: ListenerId; readonly why: DropReason };

type Transition = { readonly state: FeedState; readonly effects: readonly FeedEffect[] };

export const emptyFeed: FeedState = { head: 0, sent: 0, pending: [], isSending: false, live: new Map() };

/** Returns the next state of a feed, and what has to be done. Of more than `burst` events at once, each listener reads its own. */
export function evolveFeed(state: FeedState, input: FeedInput, burst: number): Transition {
  switch (input.type) {
    case 'started':
      return to({ ...state, head: input.head, sent: input.head });
    case 'joined': {
      const { id, after } = input;
      // the event of the cursor is read again: the cursor may lie between the envelopes of one event
      return to(state, { do: 'wait', place: { id, after, seen: Math.max(0, after - 1) } });
    }
    case 'left':
      return to(state.live.has(input.id) ? { ...state, live: without(state.live, input.id) } : state);
    case 'committed':
      return committed(state, input.stored, burst);
    case 'turn': {
      const { pending, head: last } = state;
      if (pending.length <= burst) return to({ ...state, pending: [] }, { do: 'encode', batch: pending, last });
      return allBehind({ ...state, pending: [] });
    }
    case 'encoded':
      return encoded(state, input);
    case 'encoding-failed':
      // each listener finds out by itself whether the ledger can be read again
      return allBehind(state);
    case 'rested':
      return state.pending.length > 0 ? to(state, { do: 'begin' }) : to({ ...state, isSending: false });
    case 'ready': {
      const { place } = input;
      if (place.seen < state.sent) return to(state, { do: 'read', place });
      return to({ ...state, live: new Map(state.live).set(place.id, place) });
    }
    case 'read':
      return to(state, { do: 'wait', place: { ...input.place, seen: input.last ?? state.sent } });
    case 'failed':
      return to(state, { do: 'drop', id: input.id, why: input.why });
  }
}

function committed(state: FeedState, stored: Stored, burst: number): Transition {
  const head = stored.seq;
  if (state.live.size === 0 && state.pending.length === 0) return to({ ...state, head, sent: head });
  const pending = state.pending.length <= burst ? [...state.pending, stored] : state.pending;
  if (state.isSending) return to({ ...state, head, pending });
  return to({ ...state, head, pending, isSending: true }, { do: 'begin' });
}

function encoded(state: FeedState, { first, last, slow }: FeedInput & { readonly type: 'encoded' }): Transition {
  const places = [...state.live.values()];
  const quick = places.filter(({ id }) => !slow.has(id));
  const isWhole = ({ seen, after }: FeedPlace): boolean => seen < first && after < first;
  const whole = quick.filter(isWhole).map(({ id }) => id);
  const partly = quick.filter((place) => !isWhole(place));
  const live = new Map(quick.map((place) => [place.id, { ...place, seen: Math.max(place.seen, last) }]));
  return to(
    { ...state, sent: Math.max(state.sent, last), live },
    { do: 'write', whole, partly },
    ...places.filter(({ id }) => slow.has(id)).map((place): FeedEffect => ({ do: 'wait', place })),
    { do: 'rest' },
  );
}

function allBehind(state: FeedState): Transition {
  const waits = [...state.live.values()].map((place): FeedEffect => ({ do: 'wait', place }));
  return to({ ...state, sent: state.head, live: new Map() }, ...waits, { do: 'rest' });
}

function without(live: FeedState['live'], id: ListenerId): FeedState['live'] {
  const rest = new Map(live);
  rest.delete(id);
  return rest;
}

const to = (state: FeedState, ...effects: readonly FeedEffect[]): Transition => ({ state, effects });
