import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resumedEvents } from './watch.ts';

type Event = { readonly id: string; readonly n: number };
const events: readonly Event[] = Array.from({ length: 12 }, (_, n) => ({ id: `${n + 1}`, n }));
const written = (after: string | undefined): string => {
  const from = events.findIndex(({ id }) => id === after) + 1;
  const all = events.slice(from).map((event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`);
  return `retry: 1000\nid: ${after ?? '0'}\n\n: heartbeat\n\n${all.join('')}`;
};

/** Each connection gives this many characters of what follows the cursor, in pieces, and then ends or breaks. */
type Cut = { readonly length: number; readonly breaks: boolean };
function cutServer(cuts: readonly Cut[]) {
  const asked: (string | undefined)[] = [];
  return {
    asked,
    isPassing: (error: unknown) => error instanceof TypeError,
    open: async (after: string | undefined) => {
      const cut = cuts[asked.length];
      asked.push(after);
      const text = written(after === '0' ? undefined : after).slice(0, cut?.length);
      return new ReadableStream<string>({
        start(controller) {
          for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) controller.enqueue(piece);
          // a stream that breaks loses what was not yet read; one that ends does not
          if (cut?.breaks === true) controller.error(new TypeError('cut'));
          else controller.close();
        },
      });
    },
  };
}

async function firstOf(count: number, stream: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  for await (const event of stream) if (seen.push(event) === count) break;
  return seen;
}

test('wherever connections are cut, each event comes once and in order', async () => {
  const cut = fc.record({ length: fc.integer({ min: 20, max: 200 }), breaks: fc.boolean() });
  // side by side: each of them waits before it connects again
  const check = async (cuts: readonly Cut[]): Promise<void> => {
    // the first has to open: what cannot be opened at all is thrown
    const server = cutServer([{ length: 150, breaks: false }, ...cuts]);
    expect(await firstOf(events.length, resumedEvents(server, undefined, {})), JSON.stringify(cuts)).toEqual(events);
  };
  await Promise.all(fc.sample(fc.array(cut, { minLength: 1, maxLength: 4 }), 50).map(check));
});

describe('watching', () => {
  test('begins after the cursor that is given', async () => {
    const server = cutServer([]);
    expect(await firstOf(2, resumedEvents(server, '3', {}))).toEqual(events.slice(3, 5));
    expect(server.asked).toEqual(['3']);
  });

  test('resumes after the place that the server named, also where no event has come yet', async () => {
    const server = cutServer([{ length: 30, breaks: false }]);
    await firstOf(1, resumedEvents(server, undefined, {}));
    expect(server.asked).toEqual([undefined, '0']);
  });

  test('what cannot be opened at first is thrown', async () => {
    const refused = new TypeError('no connection');
    const open = () => Promise.reject(refused);
    await expect(firstOf(1, resumedEvents({ open, isPassing: () => true }, undefined, {}))).rejects.toBe(refused);
  });

  test('what no patience mends is thrown, whenever it comes', async () => {
    const server = cutServer([{ length: 80, breaks: false }]);
    const gone = new Error('gone');
    const open = (after: string | undefined) => (server.asked.length === 1 ? Promise.reject(gone) : server.open(after));
    const told: unknown[] = [];
    const stream = resumedEvents({ ...server, open }, undefined, { onReconnect: (error) => told.push(error) });
    await expect(firstOf(99, stream)).rejects.toBe(gone);
    expect(told).toEqual([null]);
  });

  test('an abort ends it while it waits to connect again', async () => {
    const control = new AbortController();
    const server = cutServer([{ length: 30, breaks: false }]);
    const stream = resumedEvents(server, undefined, { signal: control.signal, onReconnect: () => control.abort() });
    await expect(firstOf(1, stream)).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.asked).toHaveLength(1);
  });
});
