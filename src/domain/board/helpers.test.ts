import { expect, test } from 'vitest';
import { commit, created, idOf, me, plan, stateAfter, stateAfterMore } from '../../../test/support/plans.ts';
import type { RunEvent } from '../ledger/events.ts';
import { mayHelp } from './helpers.ts';

const begun = stateAfter(created(plan([{ a: {}, b: {} }])));
const helped = (record: string): RunEvent => ({
  type: 'helper-assigned',
  task: idOf('b'),
  records: [record],
  at: '2026-01-01T00:00:00.000Z',
  most: 2,
});
const ready = (...events: readonly RunEvent[]) => {
  const state = stateAfterMore(begun, ...events);
  const task = state.tasks[idOf('b')];
  if (task === undefined) throw new Error('there is no b');
  const progress = { ...task.progress, status: 'ready' } as typeof task.progress;
  return { ...state, tasks: { ...state.tasks, [task.id]: { ...task, progress } } };
};

test('a ready task is started again twice, whichever records wait for it, and then no more', () => {
  expect(mayHelp(ready(), idOf('b'))).toBe(true);
  expect(mayHelp(ready(helped('1')), idOf('b'))).toBe(true);
  // another record each time: two tasks cannot keep each other busy
  expect(mayHelp(ready(helped('1'), helped('2')), idOf('b'))).toBe(false);
  expect(mayHelp(ready(helped('1'), helped('2')), idOf('a'))).toBe(false);
  expect(mayHelp(begun, idOf('b'))).toBe(false);
  expect(mayHelp(stateAfterMore(begun, { type: 'task-dropped', task: idOf('b'), by: me }), idOf('b'))).toBe(false);
});

test('a task whose snapshot is in a candidate is not started again before that is given up', () => {
  const opened: RunEvent = {
    type: 'round-opened',
    wave: 0,
    round: 1,
    base: commit('base'),
    tasks: [{ task: idOf('b'), snapshot: commit('b') }],
  };
  const abandoned: RunEvent = { type: 'round-abandoned', wave: 0, round: 1, because: { rule: 'round-closure' } };
  expect(mayHelp(ready(opened), idOf('b'))).toBe(false);
  expect(mayHelp(ready(opened, abandoned), idOf('b'))).toBe(true);
});
