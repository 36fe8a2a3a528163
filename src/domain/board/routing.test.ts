import { expect, test } from 'vitest';
import { attempt, created, idOf, me, plan, stateAfter, stateAfterMore } from '../../../test/support/plans.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RunState } from '../run/run.ts';
import type { RecordStatus } from './board.ts';
import { placeOf } from './board-requests.ts';
import { routeOf } from './routing.ts';

const frozen = plan([
  { a: {}, b: { capabilities: ['sql'] }, c: { capabilities: ['sql', 'css'] } },
  { d: { capabilities: ['go'] } },
]);
const begun = stateAfter(created(frozen));

/** The board with one more request of a, for `target`. */
const asked = (state: RunState, target: string, status: RecordStatus = 'open'): RunState => {
  const post = { kind: 'request', target: target as never, text: 'x' } as const;
  const note = { note: 'posted', post: 1, ...post } as const;
  const place = placeOf(state, post, undefined, idOf('a'));
  const posted: RunEvent = { type: 'attempt-noted', task: idOf('a'), attempt: attempt('a', 1), number: 1, note, place };
  const settled: RunEvent = { type: 'record-changed', record: place.id, act: 'resolve', status, by: me };
  return stateAfterMore(state, posted, ...(status === 'open' ? [] : [settled]));
};
const route = (state: RunState, target: string, author = 'a') => {
  const { to, route: found } = routeOf(state, target as never, idOf(author));
  return [to, found?.reason ?? 'explicit'];
};

test('a record goes to the task that it names, or to the first task that has what it needs', () => {
  expect(route(begun, 'b')).toEqual(['b', 'explicit']);
  expect(route(begun, 'capability:css')).toEqual(['c', 'least-open']);
  expect(route(begun, 'capability:sql')).toEqual(['b', 'least-open']);
  expect(route(begun, 'capability:sql', 'b')).toEqual(['c', 'least-open']);
  expect(route(begun, 'capability:go')).toEqual(['d', 'least-open']);
});

test('to the one with the fewest open records, unless another one has settled such a record before', () => {
  expect(route(asked(begun, 'b'), 'capability:sql')).toEqual(['c', 'least-open']);
  const shown = asked(asked(asked(begun, 'b'), 'capability:sql', 'resolved'), 'c');
  expect(route(shown, 'capability:sql')).toEqual(['c', 'demonstrated']);
});

test('to a person when no task can do it', () => {
  expect(route(begun, 'nobody')).toEqual(['person', 'no-task']);
  expect(route(begun, 'capability:rust')).toEqual(['person', 'no-capability']);
  expect(route(begun, 'capability:css', 'c')).toEqual(['person', 'no-capability']);
  const dropped = stateAfterMore(begun, { type: 'task-dropped', task: idOf('b'), by: me });
  expect(route(dropped, 'b')).toEqual(['person', 'task-over']);
  expect(route(dropped, 'capability:sql')).toEqual(['c', 'least-open']);
});
