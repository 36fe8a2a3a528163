import fc from 'fast-check';
import { expect, test } from 'vitest';
import { appended, emptySequence, itemAt, itemsOf, replacedAt, sequenceOf } from './sequence.ts';

test('a sequence holds what an array would hold after the same changes', () => {
  const change = fc.record({ at: fc.integer({ min: -1, max: 1_200 }), item: fc.integer() });
  fc.assert(
    fc.property(fc.array(fc.integer(), { maxLength: 1_100, size: 'max' }), fc.array(change), (items, changes) => {
      const array = [...items];
      let sequence = sequenceOf(items);
      for (const { at, item } of changes) {
        if (at >= 0 && at < array.length) array[at] = item;
        sequence = replacedAt(sequence, at, item);
      }
      expect(itemsOf(sequence)).toEqual(array);
      expect(sequence.length).toBe(array.length);
      for (const index of [-1, 0, 31, 32, 1_023, 1_024, 0.5]) expect(itemAt(sequence, index)).toBe(array[index]);
    }),
    { numRuns: 50 },
  );
});

test('an earlier sequence is not changed by what follows', () => {
  const before = sequenceOf(Array.from({ length: 40 }, (_, index) => index));
  appended(replacedAt(before, 3, -1), 40);
  expect(itemsOf(before)).toEqual(Array.from({ length: 40 }, (_, index) => index));
  expect(itemsOf(emptySequence)).toEqual([]);
});

test('two sequences of the same items are the same bytes', () => {
  const items = Array.from({ length: 1_100 }, (_, index) => index);
  const changed = items.reduce((sequence, index) => replacedAt(sequence, index, index), sequenceOf(items.map(() => 0)));
  expect(JSON.stringify(changed)).toBe(JSON.stringify(sequenceOf(items)));
});
