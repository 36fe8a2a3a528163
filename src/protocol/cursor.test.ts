import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCursor, isAfter, parseCursor } from './envelope.ts';

const cursors = fc.record({ seq: fc.nat(1_000), part: fc.nat(9) });

test('a cursor reads as it was written', () => {
  fc.assert(
    fc.property(cursors, (cursor) => {
      expect(parseCursor(formatCursor(cursor))).toEqual(cursor);
    }),
  );
});

test('cursors have one order', () => {
  fc.assert(
    fc.property(cursors, cursors, (a, b) => {
      const isSame = a.seq === b.seq && a.part === b.part;
      expect([isAfter(a, b), isAfter(b, a), isSame].filter(Boolean)).toHaveLength(1);
    }),
  );
});

test.each(['', '-1', '01', '1.0', '1.', '.1', '1.2.3', '1e3', ' 1', '1\n', '9'.repeat(16), '1.100'])(
  '%j is no cursor',
  (text) => expect(parseCursor(text)).toBeNull(),
);
