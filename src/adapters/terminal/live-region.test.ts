import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import type { Text } from '../../ports/terminal.ts';
import { cut, fitToScreen, liveRegion } from './live-region.ts';

const plain = (text: Text): string =>
  typeof text === 'string' ? text : text.map((part) => (typeof part === 'string' ? part : part.text)).join('');

test('no line is wider than the screen and there are never more lines than fit', () => {
  const anyLine = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(fc.record({ text: fc.string({ unit: 'binary' }), tone: fc.constant('good' as const) })),
  );
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 40 }), fc.integer({ min: 1, max: 100 }), (lines, columns) => {
      const fitted = fitToScreen(lines, { columns, rows: 24 });
      expect(fitted.length).toBeLessThanOrEqual(23);
      for (const line of fitted) expect(stringWidth(plain(line))).toBeLessThanOrEqual(columns);
    }),
  );
});

test('what does not fit on 80x24 is counted', () => {
  const lines = Array.from({ length: 30 }, (_, at) => `task ${at}`);
  const fitted = fitToScreen(lines, { columns: 80, rows: 24 });
  expect(fitted.map(plain).slice(-2)).toEqual(['task 21', '… 8 more']);
});

test('wide characters count twice and a cut shows', () => {
  expect(stringWidth('漢字')).toBe(4);
  expect(cut('漢字漢字', 5)).toBe('漢字…');
  expect(cut('👩‍👩‍👧 here', 4)).toBe('👩‍👩‍👧 …');
  expect([cut('plain text', 10), cut('plain text', 9), cut('plain', 1), cut('plain', 0)]).toEqual([
    'plain text',
    'plain te…',
    '…',
    '',
  ]);
});

test('a second drawing moves up over the first one', () => {
  const written: string[] = [];
  const region = liveRegion({
    write: (text) => written.push(text),
    size: () => ({ columns: 80, rows: 24 }),
    paint: plain,
  });
  region.draw(['one', 'two']);
  region.draw(['three']);
  region.close(false);
  expect(written).toEqual(['one\ntwo\n', '\x1b[2A\r\x1b[Jthree\n', '\x1b[1A\r\x1b[J']);
});
