import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeJson, safeLine, safeText } from './safe-text.ts';

const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\x1b[31m',
        '\x1b]8;;http://x\x07',
        '\x1b]0;t\x1b\\',
        '\x9b2J',
        '\x9d',
        '\r\n',
        '\x1b',
        '\u202e',
        '\ud800',
      ),
      fc.integer({ min: 0, max: 0xa0 }).map((code) => String.fromCharCode(code)),
    ),
  )
  .map((parts) => parts.join(''));

describe('for every text', () => {
  test('nothing that drives a terminal or reorders text is left', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = safeText(text);
        const bad = [...shown].filter((character) => {
          const code = character.codePointAt(0) ?? 0;
          const isControl = (code < 0x20 && code !== 0x0a && code !== 0x09) || (code >= 0x7f && code <= 0x9f);
          const isBidi = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code === 0x061c;
          return isControl || isBidi || (code >= 0xd800 && code <= 0xdfff);
        });
        expect(bad).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  test('making it safe twice changes nothing', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(safeText(safeText(text))).toBe(safeText(text));
      }),
    );
  });

  test('a line stays one line', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(safeLine(text)).not.toMatch(/[\n\r\t]/);
      }),
    );
  });

  test('safe JSON parses back to the same value and holds no control character', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const json = safeJson({ text });
        expect(JSON.parse(json)).toEqual({ text });
        expect(safeText(json)).toBe(json);
      }),
    );
  });
});

test('plain text, newlines, tabs, accents and emoji are left alone', () => {
  expect(safeText('a\tb\nÄ 漢字 👍')).toBe('a\tb\nÄ 漢字 👍');
});

test('colours and hyperlinks vanish, their text stays', () => {
  expect(safeText('\x1b[1;31mred\x1b[0m \x1b]8;;http://evil\x07link\x1b]8;;\x07')).toBe('red link');
});

test('an unfinished sequence does not swallow what follows', () => {
  expect(safeText('\x1b]0;title\nnext line')).toBe('0;title\nnext line');
});

test('reordering characters are shown by their code point', () => {
  expect(safeText('user\u202enimda')).toBe('user<U+202E>nimda');
});
