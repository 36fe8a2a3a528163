import { describe, expect, test } from 'vitest';
import { brief, failingLines, few } from './text.ts';

describe('the lines of an output that say why', () => {
  test('are those that look like an error, without summaries of none and the noise of package managers', () => {
    const noise = Array.from({ length: 30 }, (_, at) => `ok ${at} - fine`);
    const output = [
      '> app@1.0.0 test',
      ...noise,
      'not ok 31 - adds',
      '  \x1b[31mAssertionError: expected 3 to be 4\x1b[0m',
      '    at src/add.test.ts:3:10',
      '# fail 1',
      '# errors 0',
      'npm error code 1',
    ].join('\n');
    expect(failingLines(output)).toEqual([
      'not ok 31 - adds',
      '  AssertionError: expected 3 to be 4',
      '    at src/add.test.ts:3:10',
      '# fail 1',
    ]);
  });

  test('are the last ones where nothing looks like it, and all of a short output', () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`);
    expect(failingLines(lines.join('\n'))).toEqual(lines.slice(-10));
    expect(failingLines('one\n\ntwo\n')).toEqual(['one', 'two']);
    expect(failingLines('')).toEqual([]);
  });

  test('are at most ten, and never for ever long', () => {
    const lines = failingLines(Array.from({ length: 40 }, () => `Error: ${'x'.repeat(500)}`).join('\n'));
    expect(lines.map((line) => line.length)).toEqual(Array.from({ length: 10 }, () => 161));
  });
});

test('long lists and long texts are cut, and say so', () => {
  expect(few(['a', 'b', 'c', 'd'], 2)).toBe('a, b and 2 more');
  expect(few(['a'], 2)).toBe('a');
  expect(brief('one\ntwo  ')).toBe('one two');
  expect(brief('x'.repeat(400))).toBe(`${'x'.repeat(300)}…`);
});
