import { expect, test } from 'vitest';
import { approved, begun, by, ended, hello, run, started } from '../../../test/support/run-events.ts';
import { attemptId } from '../../domain/base/ids.ts';
import { keepAtEnd } from '../../domain/kept/discard.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { foldRun, type RunState } from '../../domain/run/run.ts';
import type { RunLog } from '../run-log.ts';
import { discardKept } from './disk-keeper.ts';

const stateOf = (events: readonly RunEvent[]): RunState => {
  const request = { seq: 99, event: { type: 'requested-discard', task: hello, paths: ['big.bin'], by } } as const;
  const state = foldRun([
    ...[...begun(), ...approved, ...started, ...events].map((event, at) => ({ seq: at + 1, event })),
    request,
  ]);
  if (state === null) throw new Error('no run');
  return state;
};
const leaving = (number: number): RunEvent => {
  if (ended.type !== 'attempt-ended' || ended.snapshot === null) throw new Error('no snapshot');
  const big = { rule: 'too-large', where: 'big.bin', limit: 'file', bytes: 1 } as const;
  const attempt = attemptId(run, hello, number);
  const left = { attempt, snapshot: { ...ended.snapshot, refused: [big] }, snapshotProblem: null };
  return { ...ended, ...left, ...keepAtEnd(undefined, left) };
};

test('I7: an attempt that ends while a file is being discarded keeps its own file of that name', async () => {
  let events = [leaving(1)];
  let recorded: readonly RunEvent[] = [];
  const removed: string[] = [];
  const discard = async (attempt: string, path: string): Promise<void> => {
    removed.push(`${attempt} ${path}`);
    events = [leaving(1), leaving(2)];
  };
  const record: RunLog['record'] = async (decide) => {
    recorded = decide(stateOf(events)) ?? [];
  };
  const request = { type: 'requested-discard', task: hello, paths: ['big.bin'], by } as const;
  const effect = { do: 'discard', kept: stateOf(events).kept, request, number: 99 } as const;
  await discardKept({ discard }, { record } as RunLog, effect);
  const [first, second] = [1, 2].map((number) => attemptId(run, hello, number));
  expect(removed).toEqual([`${first} big.bin`]);
  expect(recorded.map(({ type }) => type)).toEqual(['kept-discarded', 'request-accepted']);
  expect(stateOf([...events, ...recorded]).kept).toMatchObject([{ attempt: second, path: 'big.bin' }]);
});

test('what cannot be removed is told to whoever asked, and stays kept', async () => {
  const events = [leaving(1)];
  let recorded: readonly RunEvent[] = [];
  const record: RunLog['record'] = async (decide) => {
    recorded = decide(stateOf(events)) ?? [];
  };
  const request = { type: 'requested-discard', task: hello, paths: ['big.bin'], by } as const;
  const effect = { do: 'discard', kept: stateOf(events).kept, request, number: 99 } as const;
  const failed = Object.assign(new Error('no'), { code: 'EIO', syscall: 'unlink' });
  await discardKept({ discard: () => Promise.reject(failed) }, { record } as RunLog, effect);
  expect(recorded).toMatchObject([{ type: 'request-refused', request: 99, because: { rule: 'system', code: 'EIO' } }]);
  expect(stateOf([...events, ...recorded]).kept).toHaveLength(1);
});
