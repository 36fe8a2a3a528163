import { expect, test } from 'vitest';
import { attempt, created, idOf, me, plan, stateAfter, stateAfterMore } from '../../../test/support/plans.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { Post } from './board.ts';
import { placeOf } from './board-requests.ts';
import { boardCounters } from './counters.ts';

const minute = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString();
const begun = stateAfter(created(plan([{ a: {}, b: {} }])));

/** The run after these posts of `a`, one per minute. */
const board = (...posts: readonly Partial<Post>[]) =>
  posts.reduce((state, sketch, at) => {
    const post: Post = { kind: 'question', target: idOf('b'), text: 'x', ...sketch };
    const [task, note] = [idOf('a'), { note: 'posted', post: at + 1, ...post } as const];
    const place = placeOf(state, post, minute(at), task);
    return stateAfterMore(state, { type: 'attempt-noted', task, attempt: attempt('a', 1), number: at, note, place });
  }, begun);

const none = { open: 0, overdue: 0, oldest: null, clarifications: 0, requests: 0, escalations: 0, helpers: 0 };

test('an empty board counts nothing, and has no timer', () => {
  expect(boardCounters(begun, minute(0))).toEqual({ ...none, dependencies: 0, next: null });
});

test('what waits is counted by what it is, and what only tells is not', () => {
  const state = board(
    { kind: 'note' },
    {},
    { target: 'person' },
    { kind: 'request' },
    { kind: 'request', target: idOf('nobody') },
    { kind: 'human-escalation' },
    { kind: 'blocker', target: 'all' },
  );
  const settled: RunEvent = { type: 'record-changed', record: '2', act: 'answer', status: 'answered', by: me };
  expect(boardCounters(state, minute(8))).toMatchObject({
    ...{ open: 6, clarifications: 1, requests: 1, escalations: 1, helpers: 0, dependencies: 0 },
    oldest: { record: '2', since: minute(1), seconds: 7 * 60 },
  });
  expect(boardCounters(stateAfterMore(state, settled), minute(8))).toMatchObject({
    ...{ open: 5, clarifications: 0, oldest: { record: '3', since: minute(2), seconds: 6 * 60 } },
  });
});

test('helper assignments are counted over the run, and dependencies at either end while they are open', () => {
  const helped: RunEvent = { type: 'helper-assigned', task: idOf('b'), records: ['1'], at: minute(1), most: 2 };
  const on = { type: 'dependency-added', required: true, text: 'x', by: me } as const;
  const state = stateAfterMore(
    board({ kind: 'request' }),
    helped,
    helped,
    { ...on, dependency: 'd1', on: { branch: 'main' } },
    { ...on, dependency: 'd2', on: { branch: 'next' } },
    { type: 'dependency-resolved', dependency: 'd2', reason: 'x', by: me },
  );
  expect(boardCounters(state, minute(1))).toMatchObject({ helpers: 2, dependencies: 1 });
});

test('overdue records and the next timer follow the clocks', () => {
  const state = board({ target: 'person' }, { target: 'person' });
  expect(boardCounters(state, minute(29))).toMatchObject({
    ...{ overdue: 0, next: { record: '1', clock: 'answer', at: minute(30) } },
  });
  expect(boardCounters(state, minute(30))).toMatchObject({ overdue: 1, next: { record: '2', at: minute(31) } });
  expect(boardCounters(state, minute(31))).toMatchObject({ overdue: 2, next: null });
});
