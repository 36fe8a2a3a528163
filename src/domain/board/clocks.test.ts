import { describe, expect, test } from 'vitest';
import {
  attempt,
  created,
  idOf,
  intended,
  me,
  plan,
  started,
  stateAfter,
  stateAfterMore,
} from '../../../test/support/plans.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RunState } from '../run/run.ts';
import { decideAct } from './acts.ts';
import { type Post, recordById } from './board.ts';
import { placeOf } from './board-requests.ts';
import { dueOf, nextTimer, overdueOf, overdueRecords } from './clocks.ts';

const minute = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString();
const begun = stateAfter(created(plan([{ a: {}, b: {} }])));
const working = (state: RunState, at: string): RunState => stateAfterMore(state, intended('b'), started('b', 1, at));

/** The board with one more post of a, for b. */
const posted = (state: RunState, at: string, post: Partial<Post> = {}): RunState => {
  const content = { kind: 'request', target: idOf('b'), text: 'x', ...post } as const;
  const note = { note: 'posted', post: 1, ...content } as const;
  const place = placeOf(state, content, at, idOf('a'));
  return stateAfterMore(state, {
    type: 'attempt-noted',
    task: idOf('a'),
    attempt: attempt('a', 1),
    number: 1,
    note,
    place,
  });
};
const acted = (state: RunState, act: 'acknowledge' | 'defer' | 'advisory' | 'reassign' | 'resolve', at: string) => {
  const decided = decideAct(state, { record: '1', act, text: 'x', to: 'person' }, me, at);
  if (!decided.ok) throw new Error(decided.error.rule);
  return stateAfterMore(
    state,
    ...decided.value.map((change): RunEvent => ({ type: 'record-changed', ...change, by: me })),
  );
};
const due = (state: RunState, id = '1') => {
  const record = recordById(state, id);
  return record === undefined ? undefined : dueOf(state, record);
};
const overdue = (state: RunState, at: string) =>
  overdueRecords(state, at).map(({ record, clock }) => `${record.id} ${clock}`);

describe('a record for a task', () => {
  test('is overdue when the agent at work has not acknowledged it for 5 minutes, and after 30 whatever it did', () => {
    const open = posted(working(begun, minute(0)), minute(10));
    expect(due(open)).toEqual({ clock: 'acknowledge', at: minute(15) });
    expect([14, 15, 39, 40].map((at) => overdue(open, minute(at)))).toEqual([
      [],
      ['1 acknowledge'],
      ['1 acknowledge'],
      ['1 stale'],
    ]);
    const known = acted(open, 'acknowledge', minute(12));
    expect(due(known)).toEqual({ clock: 'stale', at: minute(40) });
    expect(overdue(known, minute(39))).toEqual([]);
    expect(overdue(acted(known, 'resolve', minute(13)), minute(99))).toEqual([]);
  });

  test('need not be acknowledged while no agent of the task is at work', () => {
    const open = posted(begun, minute(0));
    expect(due(open)).toEqual({ clock: 'stale', at: minute(30) });
    expect(due(working(open, minute(20)))).toEqual({ clock: 'acknowledge', at: minute(25) });
  });
});

test('a record for a person is overdue 30 minutes after it became one', () => {
  expect(due(posted(begun, minute(0), { target: 'person' }))).toEqual({ clock: 'answer', at: minute(30) });
  expect(due(acted(posted(begun, minute(0)), 'reassign', minute(20)))).toEqual({ clock: 'answer', at: minute(50) });
  expect(due(posted(begun, minute(0), { kind: 'human-escalation' }))).toEqual({ clock: 'answer', at: minute(30) });
});

test('what blocks nothing by a decision, or waits for nobody, has no clock', () => {
  const open = posted(working(begun, minute(0)), minute(0));
  for (const act of ['defer', 'advisory'] as const) expect(due(acted(open, act, minute(1)))).toBeNull();
  expect(due(posted(begun, minute(0), { kind: 'note' }))).toBeNull();
  expect(due(posted(begun, minute(0), { severity: 'low' }))).toBeNull();
});

test('the next timer is the earliest deadline that is ahead, by the clocks of the plan', () => {
  const clocks = { acknowledgeSeconds: 60, staleSeconds: 240, answerSeconds: 600 };
  const start = stateAfter(created(plan([{ a: {}, b: {} }], { board: clocks })));
  const state = posted(posted(working(start, minute(0)), minute(0)), minute(2), { target: 'person' });
  const timers = [0, 1, 4, 12].map((at) => nextTimer(state, minute(at)));
  expect(timers.map((timer) => timer && `${timer.record.id} ${timer.clock} ${timer.at}`)).toEqual([
    `1 acknowledge ${minute(1)}`,
    `1 stale ${minute(4)}`,
    `2 answer ${minute(12)}`,
    null,
  ]);
  const [first] = overdueRecords(state, minute(12));
  expect(first && overdueOf(state, first.record, minute(12))).toEqual({ clock: 'stale', at: minute(4) });
});
