import { expect, test } from 'vitest';
import type { GoneHunk } from '../ledger/derived-task-events.ts';
import { goneHunks, goneModes, hasMarkers, type ModesOfFile, reasonFor, type SideHunk, unnamedHunks } from './sides.ts';

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
  [
    'a replaced line is back',
    { base: 'off', ours: 'a', theirs: 'b', result: 'a b off' },
    [hunk('ours', 'a', 'off'), hunk('theirs', 'b', 'off')],
    ['ours', 'theirs'],
  ],
  [
    'a line that a side moved is there once',
    { base: 'm x', ours: 'x m', theirs: 'm x', result: 'x m' },
    [hunk('ours', '', 'm'), hunk('ours', 'm')],
    [],
  ],
  [
    'lines of both are mixed, in their order',
    { base: '', ours: 'a c', theirs: 'b d', result: 'a b c d' },
    [hunk('ours', 'a c'), hunk('theirs', 'b d')],
    [],
  ],
  [
    'lines of both are exchanged',
    { base: '', ours: 'left: no', theirs: 'right: yes', result: 'left: yes right: no' },
    [hunk('ours', 'left: no'), hunk('theirs', 'right: yes')],
    ['theirs'],
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

test.each<[string, ModesOfFile, readonly string[]]>([
  ['nobody changed it', { base: '100644', ours: '100644', theirs: '100644', result: '100644' }, []],
  ['it is kept', { base: '100644', ours: '100644', theirs: '100755', result: '100755' }, []],
  ['it is taken back', { base: '100644', ours: '100644', theirs: '100755', result: '100644' }, ['theirs 100755']],
  ['the others changed it', { base: '100755', ours: '100644', theirs: '100755', result: '100755' }, ['ours 100644']],
  ['a new program is an ordinary file', { theirs: '100755', result: '100644' }, ['theirs 100755']],
  ['a new file is one', { theirs: '100644', result: '100644' }, []],
  ['the file is gone', { base: '100644', ours: '100755', theirs: '100644' }, ['ours 100755']],
])('modes: %s', (_, modes, gone) => {
  expect(goneModes('f', modes).map(({ side, mode }) => `${side} ${mode}`)).toEqual(gone);
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

const mode: GoneHunk = { path: 'a.sh', side: 'theirs', from: 0, to: 0, mode: '100755' };
test.each([
  ['a.sh:mode it is no program', true],
  ['a.sh it is no program', true],
  ['a.sh:mode', false],
  ['a.sh:0 it is no program', false],
  ['a.sh:0-9 it is no program', false],
])('%j names the mode: %s', (entry, expected) => {
  expect(unnamedHunks([mode], [entry]).length === 0).toBe(expected);
});

test('the entry for the lines gives the reason, not the one for the file', () => {
  expect(reasonFor(gone, ['src/a b.ts reviewed', 'src/a b.ts:12-18 said twice'])).toBe('said twice');
  expect(reasonFor(gone, ['src/a b.ts:mode no', 'src/a b.ts reviewed'])).toBe('reviewed');
  expect(reasonFor(gone, ['src/b.ts other'])).toBeNull();
});
