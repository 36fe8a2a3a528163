import { expect, test } from 'vitest';
import type { GoneHunk } from '../ledger/derived-task-events.ts';
import { goneHunks, hasMarkers, type SideHunk, unnamedHunks } from './sides.ts';

const lines = (text: string): readonly string[] => (text === '' ? [] : text.split(' '));
const hunk = (side: 'ours' | 'theirs', added: string, removed = ''): SideHunk => ({
  side,
  from: 1,
  to: 2,
  added: lines(added),
  removed: lines(removed),
});

test.each<[string, { base: string; ours: string; theirs: string; result: string }, readonly SideHunk[], string[]]>([
  [
    'both are kept',
    { base: 'x', ours: 'a', theirs: 'b', result: 'a b' },
    [hunk('ours', 'a', 'x'), hunk('theirs', 'b', 'x')],
    [],
  ],
  [
    'one is lost',
    { base: 'x', ours: 'a', theirs: 'b', result: 'a' },
    [hunk('ours', 'a'), hunk('theirs', 'b')],
    ['theirs'],
  ],
  [
    'both are lost',
    { base: 'x', ours: 'a', theirs: 'b', result: 'c' },
    [hunk('ours', 'a'), hunk('theirs', 'b')],
    ['ours', 'theirs'],
  ],
  ['a part of a hunk is lost', { base: '', ours: '', theirs: 'a b', result: 'a' }, [hunk('theirs', 'a b')], ['theirs']],
  ['a second copy is lost', { base: 'a', ours: 'a', theirs: 'a a', result: 'a' }, [hunk('theirs', 'a')], ['theirs']],
  ['the other side removed a copy', { base: 'a', ours: '', theirs: 'a a', result: 'a' }, [hunk('theirs', 'a')], []],
  ['a removed line stays away', { base: 'x y', ours: 'x y', theirs: 'x', result: 'x' }, [hunk('theirs', '', 'y')], []],
  [
    'a removed line is back',
    { base: 'x y', ours: 'x y', theirs: 'x', result: 'x y' },
    [hunk('theirs', '', 'y')],
    ['theirs'],
  ],
  [
    'the other side added that line',
    { base: 'x y', ours: 'x y y', theirs: 'x', result: 'x y' },
    [hunk('theirs', '', 'y')],
    [],
  ],
  ['the file is gone', { base: '', ours: 'a', theirs: '', result: '' }, [hunk('ours', 'a')], ['ours']],
])('hunks: %s', (_, texts, hunks, gone) => {
  const { base, ours, theirs, result } = texts;
  const files = { base: lines(base), ours: lines(ours), theirs: lines(theirs), result: lines(result) };
  expect(goneHunks('f', files, hunks).map(({ side }) => side)).toEqual(gone);
});

test('blank lines make no hunk', () => {
  const files = { base: [], ours: [], theirs: ['', ' '], result: [] };
  expect(goneHunks('f', files, [{ side: 'theirs', from: 1, to: 2, added: ['', ' '], removed: [] }])).toEqual([]);
});

test.each([
  ['<<<<<<< abc', true],
  ['=======', true],
  ['>>>>>>> abc\r', true],
  ['||||||| base', true],
  ['======= title', true],
  ['========', false],
  [' =======', false],
  ['text', false],
])('%j is a marker: %s', (line, expected) => {
  expect(hasMarkers({ base: [], ours: [], theirs: [], result: ['a', line] })).toBe(expected);
});

test('a line that a side had before is no marker', () => {
  expect(hasMarkers({ base: [], ours: [], theirs: ['title', '======='], result: ['title', '======='] })).toBe(false);
});

const gone: GoneHunk = { path: 'src/a b.ts', side: 'ours', from: 12, to: 18 };
test.each([
  ['src/a b.ts said twice', true],
  ['src/a b.ts:12-18 said twice', true],
  ['src/a b.ts:1-40 said twice', true],
  ['src/a b.ts:12 said twice', false],
  ['src/a b.ts:13-18 said twice', false],
  ['src/a b.ts', false],
  ['src/a b.ts:12-18', false],
  ['src/a b.ts.bak said twice', false],
  ['src/a said twice', false],
  ['', false],
])('%j names the hunk: %s', (entry, expected) => {
  expect(unnamedHunks([gone], [entry]).length === 0).toBe(expected);
});
