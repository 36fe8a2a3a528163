import { expect, test } from 'vitest';
import { approved, begun, by, ended, hello, reply, run, started } from '../../test/support/run-events.ts';
import { answer } from './answer.ts';
import type { RunEvent } from './events.ts';
import type { Finding } from './findings/finding.ts';
import { discardCommand, discardedBy, keptIn } from './kept.ts';
import { foldRun, type RunState } from './run.ts';

const working = [...begun(), ...approved, ...started];
const folded = (...events: readonly RunEvent[]): RunState => {
  const state = foldRun([...working, ...events].map((event, at) => ({ seq: at + 1, event })));
  if (state === null) throw new Error('no run');
  return state;
};
const left = (snapshot: { readonly refused: readonly Finding[] } | null): RunEvent => {
  if (ended.type !== 'attempt-ended' || ended.snapshot === null) throw new Error('no snapshot');
  return { ...ended, snapshot: snapshot === null ? null : { ...ended.snapshot, ...snapshot } };
};
const large: Finding = { rule: 'too-large', where: 'out/big.bin', limit: 'file', bytes: 1 };
const odd: Finding = { rule: 'unfit-name', where: '"out/c\\351"', fault: 'encoding' };
const fifo: Finding = { rule: 'special-file', where: 'pipe', kind: 'FIFO' };
const paths = (state: RunState): readonly string[] => keptIn(state).map(({ path }) => path);

test('what holds content and is in no snapshot is kept; a FIFO holds none', () => {
  expect(paths(folded(left({ refused: [large, odd, fifo] })))).toEqual(['out/big.bin', '"out/c\\351"']);
});

test('without a snapshot all of a workspace is kept, unless its agent had not begun', () => {
  expect(paths(folded(left(null)))).toEqual(['.']);
  const [base, intended] = started;
  const launched = (end: RunEvent) => {
    const events = [...begun(), ...approved, base as RunEvent, intended as RunEvent, end];
    return paths(foldRun(events.map((event, at) => ({ seq: at, event }))) as RunState);
  };
  expect(launched(left(null))).toEqual([]);
  // nobody could read how far it had come
  const because = { rule: 'supervisor-unwatched', words: '' } as const;
  const unread = { ...left(null), ending: { reason: 'lost', code: null, signal: null, because } } as RunEvent;
  expect(launched(unread)).toEqual(['.']);
});

test('a directory stands for what is kept below it, quoted names too; `.` for everything', () => {
  const state = folded(left({ refused: [large, odd] }));
  const found = (...typed: string[]) => {
    const discarded = discardedBy(state, hello, typed);
    return discarded.ok ? discarded.value.map(({ path }) => path) : discarded.error;
  };
  expect(found('out/')).toEqual(['out/big.bin', '"out/c\\351"']);
  expect(found('.')).toEqual(['out/big.bin', '"out/c\\351"']);
  expect(found('./out/big.bin')).toEqual(['out/big.bin']);
  expect(found('out/big')).toEqual({ path: 'out/big' });
  expect(found('')).toEqual({ path: '' });
  expect(discardedBy(state, reply, ['.'])).toEqual({ ok: false, error: { path: '.' } });
});

test('it is kept through a drop and the end of the run, and can be discarded then; once', () => {
  const over: RunEvent[] = [
    { type: 'task-dropped', task: hello, by },
    { type: 'run-ended', outcome: 'done' },
  ];
  const state = folded(left({ refused: [large, odd] }), ...over);
  expect(paths(state)).toEqual(['out/big.bin', '"out/c\\351"']);
  const request = { type: 'requested-discard', task: hello, paths: ['out/big.bin'], by } as const;
  expect(answer(state, request)).toEqual({ ok: true, value: 'later' });
  const after = folded(left({ refused: [large, odd] }), ...over, {
    type: 'kept-discarded',
    task: hello,
    paths: ['out/big.bin'],
    by,
  });
  expect(paths(after)).toEqual(['"out/c\\351"']);
  expect(answer(after, request)).toMatchObject({ ok: false, error: { rule: 'not-kept', path: 'out/big.bin' } });
});

test('the command can be pasted', () => {
  expect(discardCommand(run, { task: hello, path: '"c\\351"' })).toBe(
    `tidegate clean --discard ${run}/hello '"c\\351"'`,
  );
});
