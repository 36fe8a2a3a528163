import { describe, expect, test } from 'vitest';
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
  const { to, route: found } = routeOf(state, { target: target as never }, idOf(author));
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

test('a task that the plan prefers comes first, if it has the capability', () => {
  const prefers = (...tasks: readonly string[]) => {
    const board = { acknowledgeSeconds: 1, staleSeconds: 1, answerSeconds: 1, preferred: { sql: tasks } };
    return stateAfter(created({ ...frozen, board }));
  };
  expect(route(prefers('c'), 'capability:sql')).toEqual(['c', 'preferred']);
  expect(route(asked(prefers('b'), 'b'), 'capability:sql')).toEqual(['b', 'preferred']);
  expect(route(prefers('a', 'nobody', 'd', 'c', 'b'), 'capability:sql', 'd')).toEqual(['c', 'preferred']);
  // neither a task without the capability, nor one of another wave, nor the author itself
  expect(route(prefers('a', 'd'), 'capability:sql', 'd')).toEqual(['b', 'least-open']);
  expect(route(prefers('c'), 'capability:sql', 'c')).toEqual(['b', 'least-open']);
  expect(route(prefers('c'), 'capability:constructor')).toEqual(['person', 'no-capability']);
});

describe('a record for the owner of what it refers to', () => {
  const owned = stateAfter(
    created(
      plan([
        {
          a: { owns: ['src/a/**'] },
          b: { owns: ['src/units.ts', 'lib/'] },
          c: { promotes: { api: 'pilot-live' } },
          d: {},
        },
        { e: { owns: ['src/e.ts'] } },
      ]),
    ),
  );
  const owner = (author: string, ...references: readonly string[]) => {
    const { to, route: found } = routeOf(owned, { target: 'owner', references }, idOf(author));
    return [to, found?.reason];
  };

  test('goes to the task that owns the path, or promotes the component', () => {
    expect(owner('a', 'path:src/units.ts')).toEqual(['b', 'owns-path']);
    expect(owner('a', 'component:api', 'path:lib/x.ts')).toEqual(['b', 'owns-path']);
    expect(owner('a', 'component:api')).toEqual(['c', 'promotes-component']);
    expect(owner('a', 'path:src/e.ts')).toEqual(['e', 'owns-path']);
  });

  test('goes to a person when no other task owns it, whatever its words are', () => {
    expect(owner('b', 'path:src/units.ts')).toEqual(['person', 'no-owner']);
    expect(owner('a', 'path:units.ts')).toEqual(['person', 'no-owner']);
    expect(owner('a', 'component:toString', 'task:b', 'record:1')).toEqual(['person', 'no-owner']);
    expect(owner('a')).toEqual(['person', 'no-owner']);
  });

  test('is for a task of that name, if there is one', () => {
    const named = stateAfter(created(plan([{ a: {}, owner: {} }])));
    expect(placeOf(named, { kind: 'question', target: 'owner' }, undefined, idOf('a'))).toMatchObject({ to: 'owner' });
  });
});

test('to a person when no task can do it', () => {
  expect(route(begun, 'nobody')).toEqual(['person', 'no-task']);
  expect(route(begun, 'capability:rust')).toEqual(['person', 'no-capability']);
  expect(route(begun, 'capability:css', 'c')).toEqual(['person', 'no-capability']);
  const dropped = stateAfterMore(begun, { type: 'task-dropped', task: idOf('b'), by: me });
  expect(route(dropped, 'b')).toEqual(['person', 'task-over']);
  expect(route(dropped, 'capability:sql')).toEqual(['c', 'least-open']);
});
