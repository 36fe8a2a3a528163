import { expect, test } from 'vitest';
import { approved, begun, by, ended, hello, reply, run, started } from '../../../test/support/run-events.ts';
import { attemptId } from '../base/ids.ts';
import { answer } from '../decide/answer.ts';
import type { Finding } from '../findings/finding.ts';
import type { RunEvent } from '../ledger/events.ts';
import { foldRun, type RunState } from '../run/run.ts';
import { discardCommand, discardedBy, keepAtEnd } from './discard.ts';

const attempt = attemptId(run, hello, 1);
const working = [...begun(), ...approved, ...started];
const folded = (...events: readonly RunEvent[]): RunState => {
  const state = foldRun([...working, ...events].map((event, at) => ({ seq: at + 1, event })));
  if (state === null) throw new Error('no run');
  return state;
};
const refusing = (refused: readonly Finding[], ofAttempt = attempt): RunEvent => {
  if (ended.type !== 'attempt-ended' || ended.snapshot === null) throw new Error('no snapshot');
  const snapshot = { ...ended.snapshot, refused };
  const left = { attempt: ofAttempt, snapshot, snapshotProblem: null };
  return { ...ended, ...left, ...keepAtEnd(undefined, left) };
};
const large: Finding = { rule: 'too-large', where: 'out/big.bin', limit: 'file', bytes: 1 };
const odd: Finding = { rule: 'unfit-name', where: '"out/c\\351"', fault: 'encoding' };
const paths = (state: RunState): readonly string[] => state.kept.map(({ path }) => path);

test('a path is discarded of the attempts that are named, and of no other', () => {
  const later = attemptId(run, hello, 2);
  const discarded: RunEvent = { type: 'kept-discarded', task: hello, kept: [{ attempt, path: 'out/big.bin' }], by };
  const { kept } = folded(refusing([large]), refusing([large, odd], later), discarded);
  expect(kept.map((one) => [one.attempt, one.path])).toEqual([
    [later, 'out/big.bin'],
    [later, '"out/c\\351"'],
  ]);
});

test('the fold keeps what the event names, whatever the rules are by now', () => {
  const why = { rule: 'special-file', where: 'pipe', kind: 'FIFO' } as const;
  const event = { ...refusing([large]), kept: [{ path: 'pipe', why }] } as RunEvent;
  expect(folded(event).kept).toEqual([{ task: hello, attempt, path: 'pipe', why }]);
});

test('a directory stands for what is kept below it, quoted names too; `.` for everything', () => {
  const state = folded(refusing([large, odd]));
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
  const state = folded(refusing([large, odd]), ...over);
  expect(paths(state)).toEqual(['out/big.bin', '"out/c\\351"']);
  const request = { type: 'requested-discard', task: hello, paths: ['out/big.bin'], by } as const;
  expect(answer(state, request)).toEqual({ ok: true, value: 'later' });
  const after = folded(refusing([large, odd]), ...over, {
    type: 'kept-discarded',
    task: hello,
    kept: [{ attempt, path: 'out/big.bin' }],
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
