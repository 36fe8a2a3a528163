import { expect, test } from 'vitest';
import { attempt, created, idOf, me, plan, stateAfter, stateAfterMore } from '../../../test/support/plans.ts';
import { barriersOfRun } from '../closure/barriers.ts';
import { answer } from '../decide/answer.ts';
import { needsOf } from '../explain/needs.ts';
import { decideNote } from './agent-notes.ts';
import { recordById, recordsOf } from './board.ts';

/** Names that every plain object has. */
const names = Object.getOwnPropertyNames(Object.prototype);
const at = '2026-01-01T00:00:00.000Z';
const begun = stateAfter(created(plan([{ a: {}, b: {} }])));
const agent = { task: idOf('a'), attempt: attempt('a', 1) };

test.each(names)('a record for a task %s is for a person, because the run has no such task', (name) => {
  for (const kind of ['request', 'note', 'blocker'] as const) {
    const note = { note: 'posted', post: 1, kind, target: idOf(name), text: 'x', severity: 'critical' } as const;
    const state = stateAfterMore(begun, {
      type: 'attempt-noted',
      ...agent,
      number: 1,
      note,
      ...decideNote(begun, agent, note, at),
    });
    // a name that is no id of a task is refused before
    expect(recordsOf(state).map(({ target }) => target)).toEqual(/^[a-z]+$/.test(name) ? ['person'] : []);
    expect(barriersOfRun(state).every(({ owner }) => owner === 'person')).toBe(true);
    expect(() => needsOf(state)).not.toThrow();
  }
});

test.each(names)('a person cannot address %s', (name) => {
  const asked = answer(begun, { type: 'requested-post', kind: 'request', target: idOf(name), text: 'x', by: me }, at);
  expect(asked).toMatchObject({ ok: false, error: { rule: expect.stringMatching(/^(no-such-task|post-target)$/) } });
  const post = { kind: 'request', target: idOf('b'), text: 'x' } as const;
  const posted = stateAfterMore(begun, {
    type: 'record-posted',
    ...post,
    place: { id: '1', to: idOf('b'), status: 'open' },
    by: me,
  });
  const given = answer(posted, { type: 'requested-record', record: '1', act: 'reassign', to: idOf(name), by: me }, at);
  expect(given).toMatchObject({ ok: false, error: { rule: 'no-such-task' } });
  expect(recordById(posted, name)).toBeUndefined();
});
