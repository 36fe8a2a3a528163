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
import { blockingRecords, isUnassignable } from './blocking.ts';
import { type Post, recordById } from './board.ts';
import { placeOf } from './board-requests.ts';
import { routedOnward, settledByPolicy } from './clarify.ts';

const begun = stateAfter(created(plan([{ a: {}, b: {} }])));
const at = '2026-01-01T00:00:00.000Z';

const posted = (state: RunState, by: 'person' | 'agent', post: Partial<Post>): RunState => {
  const content = { kind: 'question', target: idOf('b'), text: 'metres or feet?', ...post } as const;
  const place = placeOf(state, content, at, by === 'agent' ? idOf('a') : null);
  const note = { note: 'posted', post: 1, ...content } as const;
  const agent = { task: idOf('a'), attempt: attempt('a', 1), number: 1 };
  const event: RunEvent =
    by === 'person'
      ? { type: 'record-posted', ...content, place, by: me }
      : { type: 'attempt-noted', ...agent, note, place };
  return stateAfterMore(state, event);
};
const decision = { kind: 'decision', target: 'all', text: 'metres' } as const;
const asked = posted(begun, 'agent', { references: ['path:src/units.ts', 'task:a'] });
const settle = (state: RunState): readonly RunEvent[] | null => {
  const [wave] = state.waves;
  return wave === undefined ? null : settledByPolicy(state, wave, at);
};

test('a decision of a person about the same path answers the question, and the record of that names both', () => {
  const decided = posted(asked, 'person', { ...decision, references: ['path:src/units.ts'] });
  const events = settle(decided);
  expect(events).toMatchObject([
    { type: 'record-changed', record: '1', status: 'answered', answer: 'metres', by: { who: me.who, via: 'policy' } },
    { type: 'record-posted', kind: 'resolved-by-policy', target: 'a', references: ['record:1', 'record:2'] },
  ]);
  const after = stateAfterMore(decided, ...(events ?? []));
  expect(recordById(after, '1')).toMatchObject({ status: 'answered', answer: { text: 'metres' } });
  expect(settle(after)).toBeNull();
});

test('the last decision counts', () => {
  const references = ['path:src/units.ts'];
  const first = posted(asked, 'person', { ...decision, references });
  expect(settle(posted(first, 'person', { ...decision, text: 'feet', references }))).toMatchObject([
    { record: '1', answer: 'feet' },
    { references: ['record:1', 'record:3'] },
  ]);
});

test('what is asked of a person is for that person, whatever was decided before', () => {
  const references = ['path:src/units.ts'];
  for (const post of [
    { target: 'person', severity: 'critical' },
    { target: 'all', severity: 'critical' },
    { target: idOf('nobody') },
  ] as const)
    expect(
      settle(posted(posted(begun, 'agent', { ...post, references }), 'person', { ...decision, references })),
    ).toBeNull();
});

test.each<[string, 'person' | 'agent', Partial<Post>]>([
  ['another path', 'person', { ...decision, references: ['path:src/other.ts'] }],
  ['the same task only', 'person', { ...decision, references: ['task:a'] }],
  ['the same words', 'person', { ...decision, text: 'metres or feet?' }],
  ['the same path, by an agent', 'agent', { ...decision, references: ['path:src/units.ts'] }],
  ['the same path, as a note', 'person', { ...decision, kind: 'note', references: ['path:src/units.ts'] }],
])('a record about %s settles nothing', (_, by, post) => {
  expect(settle(posted(asked, by, post))).toBeNull();
});

test('a request is work, which no decision does', () => {
  const request = posted(begun, 'agent', { kind: 'request', references: ['path:src/units.ts'] });
  expect(settle(posted(request, 'person', { ...decision, references: ['path:src/units.ts'] }))).toBeNull();
});

describe('a question that nobody acknowledges', () => {
  const minute = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString();
  const waves = [
    { a: { owns: ['a.txt'] }, b: { owns: ['b.txt'] }, c: { promotes: { api: 'pilot-live' } } },
    { d: { owns: ['d.txt'] } },
  ] as const;
  const working = stateAfterMore(
    stateAfter(created(plan(waves))),
    ...['a', 'b', 'c', 'd'].flatMap((id) => [intended(id), started(id, 1, minute(0))]),
  );
  /** The question and what the rule made of it, minute by minute. */
  const onward = (state: RunState, ...minutes: readonly number[]): RunState =>
    minutes.reduce((now, n) => stateAfterMore(now, ...(routedOnward(now, minute(n)) ?? [])), state);
  const question = (post: Partial<Post> = {}) =>
    posted(working, 'agent', { references: ['component:api', 'path:b.txt'], ...post });

  test('goes to the next owner, and then also to a person, and stays open all the time', () => {
    const state = question();
    expect(routedOnward(state, minute(4))).toBeNull();
    expect(routedOnward(state, minute(5))).toEqual([
      {
        type: 'record-changed',
        record: '1',
        act: 'reassign',
        status: 'open',
        at: minute(5),
        to: 'c',
        route: {
          asked: 'b',
          reason: 'promotes-component',
          unacknowledged: { cycle: 1, most: 2, seconds: 300 },
        },
        by: { who: 'tidegate', via: 'policy' },
      },
    ]);
    const rerouted = onward(state, 5);
    expect(recordById(rerouted, '1')).toMatchObject({ status: 'open', target: 'c', since: minute(5), rerouted: 1 });
    expect(routedOnward(rerouted, minute(9))).toBeNull();
    const escalated = onward(rerouted, 10);
    expect(recordById(escalated, '1')).toMatchObject({ status: 'open', target: 'c' });
    expect(recordById(escalated, '2')).toMatchObject({
      kind: 'human-escalation',
      target: 'person',
      text: 'metres or feet?',
      of: '1',
      route: { asked: 'c', reason: 'escalated', unacknowledged: { cycle: 2, most: 2, seconds: 300 } },
      from: { who: 'tidegate', via: 'policy' },
    });
    expect(blockingRecords(escalated, 0).map(({ id }) => id)).toEqual(['1', '2']);
    expect(onward(escalated, 20, 100, 1000).board).toEqual(escalated.board);
  });

  test('is asked of the same task again when there is no other owner, and never of its author', () => {
    const again = onward(question({ references: ['path:b.txt', 'path:a.txt', 'path:d.txt'] }), 5);
    expect(recordById(again, '1')).toMatchObject({ target: 'b', route: { asked: 'b', reason: 'again' }, rerouted: 1 });
    expect(recordById(onward(again, 10), '2')).toMatchObject({ kind: 'human-escalation', of: '1' });
  });

  test('is left to its task once that has acknowledged it, or while no agent of it is at work', () => {
    const known = stateAfterMore(question(), {
      type: 'record-changed',
      record: '1',
      act: 'acknowledge',
      status: 'acknowledged',
      by: me,
    });
    expect(routedOnward(known, minute(60))).toBeNull();
    expect(routedOnward(posted(begun, 'agent', {}), minute(60))).toBeNull();
  });

  test.each<[string, Partial<Post>]>([
    ['a request', { kind: 'request' }],
    ['an advisory question', { severity: 'advisory' }],
    ['a question to a person', { target: 'person' }],
  ])('is not %s', (_, post) => {
    expect(routedOnward(question(post), minute(60))).toBeNull();
  });

  test('of a person is not a clarification', () => {
    expect(routedOnward(posted(working, 'person', {}), minute(60))).toBeNull();
  });

  test('blocks its wave with its escalation, also when that is a later one', () => {
    const escalated = onward(question({ target: idOf('d'), references: [] }), 5, 10);
    expect(recordById(escalated, '2')).toMatchObject({ kind: 'human-escalation', of: '1' });
    expect([0, 1].map((wave) => blockingRecords(escalated, wave).map(({ id }) => id))).toEqual([[], ['1', '2']]);
  });

  test('that finds no owner is for a person, and blocks', () => {
    const state = posted(begun, 'agent', { target: 'owner', references: ['path:nowhere.txt'] });
    const record = recordById(state, '1');
    expect(record).toMatchObject({ target: 'person', route: { asked: 'owner', reason: 'no-owner' } });
    expect(record !== undefined && isUnassignable(state, record)).toBe(true);
    expect(blockingRecords(state, 0)).toHaveLength(1);
  });
});
