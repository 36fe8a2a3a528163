import { expect, test } from 'vitest';
import { attempt, created, idOf, me, plan, stateAfter, stateAfterMore } from '../../../test/support/plans.ts';
import { attempt as ended, live, snapshot } from '../../../test/support/standing-states.ts';
import { commitId } from '../base/ids.ts';
import { placeOf } from '../board/board-requests.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RunState } from '../run/run.ts';
import { fresh, type TaskProgress } from '../run/task.ts';
import { standingsOf } from './task-standings.ts';

const begun = stateAfter(created(plan([{ a: {}, b: { needs: ['a'] }, c: {} }, { later: {} }])));
const commit = commitId('c'.repeat(40));

/** The run with a task in this progress. */
const having = (state: RunState, id: string, progress: TaskProgress, launches = 1): RunState => {
  const task = state.tasks[idOf(id)];
  if (task === undefined) throw new Error(`there is no ${id}`);
  return { ...state, tasks: { ...state.tasks, [task.id]: { ...task, launches, progress } } };
};
const standing = (state: RunState, id: string) => standingsOf(state).get(idOf(id));
const waiting: TaskProgress = { status: 'waiting', next: { ...fresh, after: 'rejected' }, last: ended };
const ready: TaskProgress = { status: 'ready', attempt: ended, snapshot };

test.each<[string, TaskProgress, string]>([
  ['a task that waits for its next attempt', waiting, 'needs-rerun'],
  ['one that is launched', { status: 'launching', attempt: live, last: null }, 'working'],
  ['one that runs', { status: 'running', attempt: live, pid: 1, last: null }, 'working'],
  ['one that is judged', { status: 'ended', attempt: ended, snapshot }, 'working'],
  ['one whose launch failed', { ...waiting, next: { ...fresh, halt: { rule: 'resolve-reason' } } }, 'blocked'],
  [
    'one that is held',
    { status: 'held', hold: { because: 'gate', verdicts: [] }, attempt: ended, snapshot },
    'blocked',
  ],
  ['one that failed', { status: 'failed', attempt: ended, snapshot }, 'blocked'],
  ['one that is ready', ready, 'satisfied'],
  ['a read-only one that is done', { status: 'done', attempt: ended, snapshot }, 'satisfied'],
  ['one that is merged', { status: 'merged', commit, attempt: ended, snapshot }, 'closed'],
  ['one that is dropped', { status: 'dropped', by: me, last: null }, 'closed'],
])('%s', (_, progress, expected) => {
  expect(standing(having(begun, 'a', progress), 'a')).toBe(expected);
});

test('a task that has not been started is planned, also in a later wave; blocked when what it needs does not come', () => {
  expect([...standingsOf(begun).values()]).toEqual(['planned', 'planned', 'planned', 'planned']);
  const failed = having(begun, 'a', { status: 'failed', attempt: ended, snapshot });
  expect(['b', 'c'].map((id) => standing(failed, id))).toEqual(['blocked', 'planned']);
});

test('a ready task that is asked for something runs again, and is blocked when only a person can decide', () => {
  const post = { kind: 'request', target: idOf('a'), text: 'x' } as const;
  const place = placeOf(begun, post, undefined, idOf('c'));
  const note = { note: 'posted', post: 1, ...post } as const;
  const asked: RunEvent = {
    type: 'attempt-noted',
    ...{ task: idOf('c'), attempt: attempt('c', 1), number: 1, note, place },
  };
  const all = ['a', 'b', 'c'].reduce((state, id) => having(state, id, ready), begun);
  const state = stateAfterMore(all, asked);
  expect(['a', 'c'].map((id) => standing(state, id))).toEqual(['needs-rerun', 'satisfied']);
  const helped: RunEvent = { type: 'helper-assigned', task: idOf('a'), records: ['1'], at: '', most: 2 };
  expect(standing(stateAfterMore(state, helped, helped), 'a')).toBe('blocked');
  const resolved: RunEvent = { type: 'record-changed', record: '1', act: 'resolve', status: 'resolved', by: me };
  expect(standing(stateAfterMore(state, helped, helped, resolved), 'a')).toBe('satisfied');
});

test('a wave or a run that is over closes its tasks', () => {
  const done = having(begun, 'c', ready);
  expect(standing(stateAfterMore(done, { type: 'wave-closed', wave: 0 }), 'c')).toBe('closed');
  expect(standing(stateAfterMore(done, { type: 'run-ended', outcome: 'abandoned' }), 'later')).toBe('closed');
});
