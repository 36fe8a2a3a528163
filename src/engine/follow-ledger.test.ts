import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { memoryLedger } from '../adapters/ledger/memory/index.ts';
import { type Ledger, LedgerUnavailable } from '../ports/ledger.ts';
import { followLedger, followStream } from './follow-ledger.ts';

const by = { who: 'ann', via: 'api' } as const;

function scene() {
  const ledger = memoryLedger();
  let subscriptions = 0;
  let isUnavailable = false;
  const watched: Ledger = {
    ...ledger,
    readAll: async (...range) => {
      if (isUnavailable) throw new LedgerUnavailable('ledger', new Error('disk'));
      return await ledger.readAll(...range);
    },
    subscribe: (...args) => {
      subscriptions += 1;
      return ledger.subscribe(...args);
    },
  };
  return {
    ledger: watched,
    subscriptions: () => subscriptions,
    setUnavailable: (value: boolean) => {
      isUnavailable = value;
    },
    pause: async (stream: string) => (await ledger.request(stream, { type: 'requested-pause', by })).seq,
    settle: async () => {
      for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    },
  };
}

describe('a follower', () => {
  test('hands over the past and then each new event, once and in order', async () => {
    const { ledger, pause, settle } = scene();
    const first = await pause('a');
    const seqs: number[] = [];
    const follower = followLedger(ledger, ({ seq }) => seqs.push(seq));
    await follower.catchUp();
    expect(seqs).toEqual([1, first]);
    await using _listening = follower.listen();
    const next = [await pause('a'), await pause('b')];
    await settle();
    await follower.catchUp();
    expect(seqs).toEqual([1, first, ...next]);
    expect(follower.seq()).toBe(next.at(-1));
  });

  test('of one stream gets nothing of the others, and begins after the event that it names', async () => {
    const { ledger, pause, settle } = scene();
    await pause('a');
    const [last] = (await ledger.read('a')).slice(-1);
    const seqs: number[] = [];
    const follower = followStream(ledger, 'a', ({ seq }) => seqs.push(seq), last);
    await using _listening = follower.listen();
    await pause('b');
    const own = await pause('a');
    await settle();
    expect(seqs).toEqual([own]);
  });

  test('that joins others misses nothing, and all share one subscription', async () => {
    const { ledger, pause, settle, subscriptions } = scene();
    const seqs: number[][] = [[], [], []];
    const disposals: AsyncDisposable[] = [];
    const all: number[] = [1];
    for (const heard of seqs) {
      disposals.push(followLedger(ledger, ({ seq }) => heard.push(seq)).listen());
      all.push(await pause('a'));
    }
    await settle();
    expect(seqs).toEqual([all, all, all]);
    expect(subscriptions()).toBe(1);
    for (const disposal of disposals) await disposal[Symbol.asyncDispose]();
    await pause('a');
    await settle();
    expect(seqs).toEqual([all, all, all]);
  });

  test('makes up for a read that failed', async () => {
    const { ledger, pause, setUnavailable, settle } = scene();
    await using _other = followLedger(ledger, () => undefined).listen();
    await settle();
    const seqs: number[] = [];
    setUnavailable(true);
    const follower = followLedger(ledger, ({ seq }) => seqs.push(seq));
    await using _listening = follower.listen();
    await settle();
    expect(seqs).toEqual([]);
    setUnavailable(false);
    const next = await pause('a');
    await settle();
    expect(seqs).toEqual([1, next]);
  });
});
