import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageOf } from './find.ts';

const all = ['a', 'b', 'c', 'd', 'e'];
const page = (limit: number, cursor?: string) => pageOf(all, { limit, cursor }, (one) => one);

test.each([
  [2, undefined, { items: ['a', 'b'], next: 'b' }],
  [2, 'b', { items: ['c', 'd'], next: 'd' }],
  [2, 'd', { items: ['e'], next: null }],
  [2, 'e', { items: [], next: null }],
  [5, undefined, { items: all, next: null }],
  [4, 'a', { items: ['b', 'c', 'd', 'e'], next: null }],
])('%i after %s', (limit, cursor, expected) => {
  expect(page(limit, cursor)).toEqual({ ok: true, value: expected });
});

test('a cursor that points at nothing is told, not begun anew', () => {
  expect(page(2, 'x')).toMatchObject({ ok: false, error: { status: 410, field: 'query.cursor' } });
});

test('pages put together are the list, also when it grows meanwhile', () => {
  const lists = fc.tuple(fc.nat(30), fc.nat(10), fc.integer({ min: 1, max: 12 }));
  fc.assert(
    fc.property(lists, ([length, more, limit]) => {
      const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
      const seen: number[] = [];
      let cursor: string | undefined;
      for (let list = numbers(length); ; list = numbers(length + more)) {
        const found = pageOf(list, { limit, cursor }, String);
        if (!found.ok) throw new Error(found.error.detail);
        seen.push(...found.value.items);
        if (found.value.next === null) break;
        cursor = found.value.next;
      }
      expect(seen).toEqual(numbers(seen.length));
      expect(seen.length).toBeGreaterThanOrEqual(length);
    }),
  );
});
