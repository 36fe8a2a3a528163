import { describe, expect, test } from 'vitest';
import type { Stored } from '../../ports/ledger.ts';
import { emptyFeed, evolveFeed, type FeedEffect, type FeedInput, type FeedState } from './feed-state.ts';

const burst = 3;
const stored = (seq: number): Stored => ({
  ...{ seq, stream: 'run', position: seq, epoch: 1, at: '', hash: '' },
  event: { type: 'run-paused', by: { who: 'ann', via: 'api' } },
});
const committed = (...seqs: readonly number[]): readonly FeedInput[] =>
  seqs.map((seq) => ({ type: 'committed', stored: stored(seq) }));
const place = (id: number, seen: number, after = 10) => ({ id, after, seen });
const encoded = (first: number, last: number, ...slow: readonly number[]): FeedInput => ({
  ...{ type: 'encoded', first, last },
  slow: new Set(slow),
});

/** Plays inputs one after the other. `effects` are those of the last one. */
function play(from: FeedState, ...inputs: readonly FeedInput[]) {
  let state = from;
  let effects: readonly FeedEffect[] = [];
  for (const input of inputs) ({ state, effects } = evolveFeed(state, input, burst));
  return { state, effects, live: [...state.live.keys()] };
}

const started = play(emptyFeed, { type: 'started', head: 10 }).state;
const withLive = (...ids: readonly number[]): FeedState =>
  play(started, ...ids.map((id): FeedInput => ({ type: 'ready', place: place(id, 10) }))).state;

describe('a listener that joins', () => {
  test('reads batch by batch until it has seen everything, and is live then', () => {
    const joined = play(started, { type: 'joined', id: 1, after: 4 });
    expect(joined.effects).toEqual([{ do: 'wait', place: place(1, 3, 4) }]);
    const ready = play(joined.state, { type: 'ready', place: place(1, 3, 4) });
    expect(ready.effects).toEqual([{ do: 'read', place: place(1, 3, 4) }]);
    const read = play(ready.state, { type: 'read', place: place(1, 3, 4), last: 10 });
    expect(read.effects).toEqual([{ do: 'wait', place: place(1, 10, 4) }]);
    const done = play(read.state, { type: 'ready', place: place(1, 10, 4) });
    expect([done.live, done.effects]).toEqual([[1], []]);
  });

  test('is behind again when events were sent while it read', () => {
    const { state } = play(started, ...committed(11, 12));
    expect(play(state, { type: 'ready', place: place(1, 10) }).effects).toEqual([{ do: 'read', place: place(1, 10) }]);
    expect(play(state, { type: 'read', place: place(1, 10), last: null }).effects).toEqual([
      { do: 'wait', place: place(1, 12) },
    ]);
  });

  test('is dropped when its bytes are not taken or the ledger cannot be read', () => {
    for (const why of ['slow', 'unavailable'] as const)
      expect(play(started, { type: 'failed', id: 1, why }).effects).toEqual([{ do: 'drop', id: 1, why }]);
  });
});

describe('new events', () => {
  test('are nobody’s business without a live listener', () => {
    const { state, effects } = play(started, ...committed(11));
    expect([state.head, state.sent, state.pending, effects]).toEqual([11, 11, [], []]);
  });

  test('of one moment are sent together, and those that come meanwhile after a rest', () => {
    const first = play(withLive(1), ...committed(11));
    expect(first.effects).toEqual([{ do: 'begin' }]);
    const turn = play(first.state, ...committed(12), { type: 'turn' });
    expect(turn.effects).toEqual([{ do: 'encode', batch: [stored(11), stored(12)], last: 12 }]);
    const sent = play(turn.state, ...committed(13), encoded(11, 12));
    expect(sent.effects).toEqual([{ do: 'write', whole: [1], partly: [] }, { do: 'rest' }]);
    expect(sent.state.sent).toBe(12);
    const again = play(sent.state, { type: 'rested' });
    expect(again.effects).toEqual([{ do: 'begin' }]);
    const over = play(again.state, { type: 'turn' }, encoded(13, 13), { type: 'rested' });
    expect([over.state.isSending, over.effects]).toEqual([false, []]);
  });

  test('are filtered for a listener that has read some of them by itself', () => {
    const { state } = play(withLive(1), ...committed(11, 12), { type: 'turn' }, { type: 'ready', place: place(2, 11) });
    expect(play(state, encoded(11, 12)).effects).toEqual([
      { do: 'write', whole: [1], partly: [place(2, 11)] },
      { do: 'rest' },
    ]);
  });

  test('send only the slow listener back to the ledger', () => {
    const { state, effects, live } = play(withLive(1, 2), ...committed(11), { type: 'turn' }, encoded(11, 11, 2));
    expect(live).toEqual([1]);
    expect(effects).toEqual([
      { do: 'write', whole: [1], partly: [] },
      { do: 'wait', place: place(2, 10) },
      { do: 'rest' },
    ]);
    expect(play(state, { type: 'ready', place: place(2, 10) }).effects).toEqual([{ do: 'read', place: place(2, 10) }]);
  });

  test('that are more than are kept for all send every listener back to the ledger', () => {
    const flood = play(withLive(1, 2), ...committed(11, 12, 13, 14, 15, 16));
    expect(flood.state.pending).toHaveLength(burst + 1);
    const { state, effects, live } = play(flood.state, { type: 'turn' });
    expect([live, state.sent, state.pending]).toEqual([[], 16, []]);
    expect(effects).toEqual([{ do: 'wait', place: place(1, 10) }, { do: 'wait', place: place(2, 10) }, { do: 'rest' }]);
  });

  test('that cannot be encoded send every listener back to the ledger', () => {
    const { state, effects } = play(withLive(1), ...committed(11), { type: 'turn' }, { type: 'encoding-failed' });
    expect([state.sent, state.live.size]).toEqual([11, 0]);
    expect(effects).toEqual([{ do: 'wait', place: place(1, 10) }, { do: 'rest' }]);
  });

  test('do not reach a listener that has left', () => {
    const { effects } = play(
      withLive(1, 2),
      { type: 'left', id: 1 },
      ...committed(11),
      { type: 'turn' },
      encoded(11, 11),
    );
    expect(effects).toEqual([{ do: 'write', whole: [2], partly: [] }, { do: 'rest' }]);
  });
});
