import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { spentMs } from '../../../test/support/spent.ts';
import { foldPath } from '../base/paths.ts';
import { indexPatterns, intersect, matches, matchesFolded, parsePattern, pattern } from './pattern.ts';

const letters = ['a', 'b', '.', '/'];
const words = (length: number): string[] =>
  length === 0 ? [''] : words(length - 1).flatMap((word) => letters.map((letter) => word + letter));
const isPath = (path: string) => path.split('/').every((segment) => !['', '.', '..'].includes(segment));
const paths = [1, 2, 3, 4, 5, 6].flatMap(words).filter(isPath);

const anyPattern = fc
  .array(
    fc.oneof(
      { weight: 1, arbitrary: fc.constant('**') },
      {
        weight: 3,
        arbitrary: fc
          .array(fc.constantFrom('a', 'b', '.', '?', '*'), { minLength: 1, maxLength: 3 })
          .map((cs) => cs.join('')),
      },
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((segments) => segments.join('/'))
  .chain((text) => fc.constantFrom(text, `${text}/`))
  .filter((text) => parsePattern(text).ok);

describe('a pattern', () => {
  test.each([
    ['src/**', 'src/a/b', true],
    ['src/**', 'src', false],
    ['src/', 'src/a', true],
    ['src/', 'src', false],
    ['**/a', 'a', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['**', 'a', true],
    ['*.ts', 'a.ts', true],
    ['*.ts', 'd/a.ts', false],
    ['?', 'é', true],
    ['?', 'e\u0301', true],
    ['?', '😀', true],
    ['*', '.env', true],
    ['src/**', 'src/../x', false],
    ['src/**', 'src//x', false],
  ])('%s on %s: %s', (text, path, expected) => {
    expect(matches(pattern(text), path)).toBe(expected);
  });

  test('says what is wrong with it', () => {
    const reason = (text: string) => {
      const parsed = parsePattern(text);
      return parsed.ok ? 'fine' : parsed.error.reason;
    };
    expect(
      ['', '/a', 'a//b', '../a', 'a/./b', 'a**', 'a\\b', '{a,b}', '[ab]', '!a', '+(a)', 'a\nb', 'x'.repeat(257)].map(
        reason,
      ),
    ).toEqual([
      'empty',
      'absolute',
      'empty-segment',
      'parent',
      'parent',
      'partial-globstar',
      'backslash',
      'unsupported',
      'unsupported',
      'unsupported',
      'unsupported',
      'control-character',
      'too-long',
    ]);
  });

  test('matches what a naive reading of it matches', () => {
    fc.assert(
      fc.property(anyPattern, fc.constantFrom(...paths), (text, path) => {
        expect(matches(pattern(text), path)).toBe(naive(text, path));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('two patterns', () => {
  test('meet exactly when some path matches both', () => {
    fc.assert(
      fc.property(anyPattern, anyPattern, (left, right) => {
        const [a, b] = [pattern(left), pattern(right)];
        const met = intersect(a, b);
        const brute = paths.some((path) => matches(a, path) && matches(b, path));
        // A common path may be longer than brute force looks, so a witness has to convince by itself.
        if (met === null) expect(brute).toBe(false);
        else expect([naive(left, met.witness), naive(right, met.witness)]).toEqual([true, true]);
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    ['.?', '?.'],
    ['a*', 'b*'],
    ['src/**', 'src'],
    ['*/a', 'a'],
  ])('%s and %s have no path in common', (a, b) => {
    expect(intersect(pattern(a), pattern(b))).toBe(null);
  });

  test.each([
    ['Src/**', 'src/a'],
    ['stra\u00dfe', 'STRASSE'],
    ['\u1e9e', 'ss'],
    ['\u212a.txt', 'k.txt'],
    ['\u0130x', 'i\u0307X'],
    ['caf\u00e9/*', 'cafe\u0301/a'],
    ['o\u03a3', 'o\u03c2'],
    ['o\u03a3*', 'O\u03a3x'],
    ['CAF?', 'cafe\u0301'],
    ['?', '\uac00'],
  ])('%s and %s meet when case and normalisation do not count', (a, b) => {
    expect(intersect(pattern(a), pattern(b))).not.toBe(null);
  });

  test('are judged quickly however they are written', () => {
    const bomb = (last: string) => pattern(`${'**/'.repeat(30)}${'*a'.repeat(60)}${last}`);
    const started = spentMs();
    expect(intersect(bomb('b'), bomb('c'))).toBe(null);
    expect(matches(bomb('b'), 'a'.repeat(4000))).toBe(false);
    expect(spentMs() - started).toBeLessThan(2000);
  });
});

describe('folding', () => {
  test('is idempotent, and a single character stays within `?`', () => {
    const one = pattern('?');
    const ligatures = new Set<string>();
    for (let code = 0x20; code < 0x30000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const character = String.fromCodePoint(code);
      const folded = foldPath(character);
      if (foldPath(folded) !== folded) throw new Error(`not idempotent: ${code.toString(16)}`);
      if (folded !== '' && !'./'.includes(folded) && !matchesFolded(one, character)) ligatures.add(folded);
    }
    // Letters that fold to several letters: `?` does not stand for them there; comparing real paths does.
    expect([...ligatures].filter((folded) => !/[\u03b9]$/.test(folded))).toMatchInlineSnapshot(`
      [
        "ss",
        "ʼn",
        "եւ",
        "aʾ",
        "ff",
        "fi",
        "fl",
        "ffi",
        "ffl",
        "st",
        "մն",
        "մե",
        "մի",
        "վն",
        "մխ",
        "𖵨",
        "𖵩",
        "𖵪",
      ]
    `);
  });
});

test('an index finds the same owners and pairs as looking at all', () => {
  fc.assert(
    fc.property(fc.array(anyPattern, { maxLength: 12 }), fc.constantFrom(...paths), (texts, path) => {
      const entries = texts.map((text, value) => ({ pattern: pattern(text), value }));
      const index = indexPatterns(entries);
      const owners = entries.filter((entry) => matches(entry.pattern, path)).map((entry) => entry.value);
      expect(
        index
          .owners(path)
          .map((entry) => entry.value)
          .sort((a, b) => a - b),
      ).toEqual(owners);
      const visited: string[] = [];
      index.pairs((a, b) => visited.push([a.value, b.value].sort((x, y) => x - y).join(' ')));
      expect(new Set(visited).size).toBe(visited.length);
      for (const a of entries)
        for (const b of entries.slice(a.value + 1))
          if (intersect(a.pattern, b.pattern)) expect(visited).toContain(`${a.value} ${b.value}`);
    }),
    { numRuns: 300 },
  );
});

/** The definition in the documentation, by plain recursion. */
function naive(text: string, path: string): boolean {
  const segments = (text.endsWith('/') ? `${text}**` : text).split('/');
  return isPath(path) && walk(segments, path.split('/'));
  function walk(patterns: readonly string[], names: readonly string[]): boolean {
    const [head, ...rest] = patterns;
    if (head === undefined) return names.length === 0;
    if (head === '**' && rest.length === 0) return names.length > 0;
    if (head === '**') return walk(rest, names) || (names.length > 0 && walk(patterns, names.slice(1)));
    return names[0] !== undefined && name([...head], [...names[0]]) && walk(rest, names.slice(1));
  }
  function name(head: readonly string[], characters: readonly string[]): boolean {
    const [first, ...rest] = head;
    if (first === undefined) return characters.length === 0;
    if (first === '*') return name(rest, characters) || (characters.length > 0 && name(head, characters.slice(1)));
    return characters.length > 0 && (first === '?' || first === characters[0]) && name(rest, characters.slice(1));
  }
}
