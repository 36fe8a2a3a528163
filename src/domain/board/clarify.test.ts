import { expect, test } from 'vitest';
import { attempt, created, idOf, me, plan, stateAfter, stateAfterMore } from '../../../test/support/plans.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RunState } from '../run/run.ts';
import { type Post, recordById } from './board.ts';
import { placeOf } from './board-requests.ts';
import { settledByPolicy } from './clarify.ts';

const begun = stateAfter(created(plan([{ a: {}, b: {} }])));
const at = '2026-01-01T00:00:00.000Z';

const posted = (state: RunState, by: 'person' | 'agent', post: Partial<Post>): RunState => {
  const content = { kind: 'question', target: idOf('b'), text: 'metres or feet?', ...post } as const;
  const place = placeOf(state, content, at);
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
