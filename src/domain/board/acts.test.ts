import { describe, expect, test } from 'vitest';
import { attempt, created, idOf, me, plan, stateAfter, stateAfterMore } from '../../../test/support/plans.ts';
import { openRecords } from '../closure/barriers.ts';
import { answer } from '../decide/answer.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { By } from '../ledger/requests.ts';
import type { RunState } from '../run/run.ts';
import { actRules, agentActs, decideAct, type RecordAct, recordActs } from './acts.ts';
import { decideNote } from './agent-notes.ts';
import {
  type Post,
  type RecordActor,
  type RecordStatus,
  type RecordTarget,
  recordById,
  recordStatuses,
} from './board.ts';
import { placeOf } from './board-requests.ts';

const frozen = plan([{ a: {}, b: {}, c: {} }, { later: {} }]);
const begun = created(frozen);
const agent = (task: string): Exclude<RecordActor, By> => ({
  task: idOf(task),
  attempt: attempt(task, 1),
});
const at = '2026-01-01T00:00:00.000Z';

/** The board after these posts, each of one task. */
function board(...posts: readonly (Partial<Post> & { readonly from?: string })[]): RunState {
  return posts.reduce((state, { from = 'a', ...post }) => {
    const note = { note: 'posted', post: 1, kind: 'request', target: idOf('b'), text: 'do it', ...post } as const;
    return applied(state, from, { note, place: placeOf(state, note, at) });
  }, stateAfter(begun));
}

const applied = (
  state: RunState,
  task: string,
  event: Pick<RunEvent & { type: 'attempt-noted' }, 'note' | 'place' | 'changes' | 'refused'>,
): RunState => stateAfterMore(state, { type: 'attempt-noted', ...agent(task), number: 1, ...event });

const acted = (state: RunState, task: string, record: string, act: RecordAct, text = 'because'): RunState => {
  const note = { note: 'acted', record, act, text } as const;
  return applied(state, task, { note, ...decideNote(state, agent(task), note, at) });
};
const statusOf = (state: RunState, id = '1'): RecordStatus | undefined => recordById(state, id)?.status;
const ruleOf = (state: RunState, act: RecordAct, actor: RecordActor, text: string | null = 'because') => {
  const decided = decideAct(state, { record: '1', act, ...(text === null ? {} : { text }), to: idOf('c') }, actor, at);
  return decided.ok ? decided.value[0]?.status : decided.error.rule;
};

describe('who may do what with an open request of a to b', () => {
  test.each<[RecordAct, string, string, string]>([
    // act, the agent of b, the agent of a, a person
    ['acknowledge', 'acknowledged', 'record-for-other', 'acknowledged'],
    ['start', 'in-progress', 'record-for-other', 'in-progress'],
    ['answer', 'answered', 'record-for-other', 'answered'],
    ['resolve', 'resolved', 'record-for-other', 'resolved'],
    ['escalate', 'open', 'record-for-other', 'open'],
    ['cancel', 'record-of-other', 'cancelled', 'cancelled'],
    ['dismiss', 'record-for-people', 'record-for-people', 'closed'],
    ['reassign', 'record-for-people', 'record-for-people', 'open'],
    ['defer', 'record-for-people', 'record-for-people', 'open'],
    ['advisory', 'record-for-people', 'record-for-people', 'open'],
    ['stale', 'record-for-people', 'record-for-people', 'open'],
  ])('%s', (act, addressee, author, person) => {
    const state = board({});
    expect([agent('b'), agent('a'), me].map((actor) => ruleOf(state, act, actor))).toEqual([addressee, author, person]);
    expect(ruleOf(state, act, agent('c'))).toMatch(/^record-(for|of)-/);
  });

  test('the table has every act, and agents have none that takes a record out of the way', () => {
    expect(Object.keys(actRules)).toEqual([...recordActs]);
    expect(agentActs).toEqual(['acknowledge', 'start', 'answer', 'resolve', 'escalate', 'cancel']);
  });
});

test('a record goes forward, never back, and nobody changes one that is settled', () => {
  const started = acted(board({}), 'b', '1', 'start');
  expect(statusOf(started)).toBe('in-progress');
  expect(ruleOf(started, 'acknowledge', me)).toBe('record-status');
  const resolved = acted(started, 'b', '1', 'resolve');
  for (const act of recordActs) expect([act, ruleOf(resolved, act, me)]).toEqual([act, 'record-settled']);
  expect(recordStatuses).toContain(statusOf(resolved));
});

test('what takes a record out of the way needs a reason', () => {
  for (const act of ['dismiss', 'defer', 'advisory', 'stale', 'resolve', 'answer'] as const)
    expect([act, ruleOf(board({}), act, me, null)]).toEqual([act, 'record-reason']);
});

test('a refused act of an agent is recorded with its finding and changes nothing', () => {
  const before = board({});
  const after = acted(before, 'b', '1', 'dismiss');
  expect(statusOf(after)).toBe('open');
  const note = { note: 'acted', record: '1', act: 'dismiss', text: 'no' } as const;
  expect(decideNote(before, agent('b'), note, at)).toEqual({
    refused: { rule: 'record-for-people', record: '1', act: 'dismiss' },
  });
});

test('an agent settles nothing that depends on an open record', () => {
  const state = board({}, { dependsOn: ['1'] });
  const decided = decideAct(state, { record: '2', act: 'resolve', text: 'done' }, agent('b'), at);
  expect(decided).toEqual({ ok: false, error: { rule: 'record-depends', record: '2', records: ['1'] } });
  expect(statusOf(acted(acted(state, 'b', '1', 'resolve'), 'b', '2', 'resolve'), '2')).toBe('resolved');
});

test('an escalation and the record behind it are settled together', () => {
  const escalated = acted(board({ kind: 'question' }), 'b', '1', 'escalate', 'not mine');
  expect(recordById(escalated, '2')).toMatchObject({ kind: 'human-escalation', target: 'person', of: '1', at });
  const answered = answer(escalated, { type: 'requested-answer', record: '2', text: 'metres', by: me }, at);
  const state = answered.ok && answered.value !== 'later' ? stateAfterMore(escalated, ...answered.value) : escalated;
  expect([recordById(state, '1'), recordById(state, '2')]).toMatchObject([
    { status: 'answered', answer: { text: 'metres' } },
    { status: 'answered' },
  ]);
  expect(statusOf(acted(escalated, 'b', '1', 'answer', 'feet'), '2')).toBe('superseded');
});

test('an agent that cancels its own escalation settles nothing but that', () => {
  const escalated = acted(board({}), 'b', '1', 'escalate', 'not mine');
  const cancelled = acted(escalated, 'b', '2', 'cancel');
  expect([statusOf(cancelled, '1'), statusOf(cancelled, '2')]).toEqual(['open', 'cancelled']);
});

test('an agent that cancels its request leaves what another task escalated', () => {
  const escalated = acted(board({}), 'b', '1', 'escalate', 'a person has to look at it');
  const cancelled = acted(escalated, 'a', '1', 'cancel');
  expect([statusOf(cancelled, '1'), statusOf(cancelled, '2')]).toEqual(['cancelled', 'open']);
  const byPerson = decideAct(escalated, { record: '1', act: 'cancel' }, me, at);
  expect(byPerson).toMatchObject({ value: [{ status: 'cancelled' }, { record: '2', status: 'superseded' }] });
});

test('a record that is given to somebody waits for them, as if it had been theirs from the start', () => {
  const given = (state: RunState, to: RecordTarget, act: RecordAct = 'reassign'): RunState => {
    const decided = decideAct(state, { record: '1', act, text: 'x', to }, me, at);
    const changes = decided.ok ? decided.value : [];
    return stateAfterMore(state, ...changes.map((change): RunEvent => ({ type: 'record-changed', ...change, by: me })));
  };
  const blocks = (state: RunState) => state.waves.flatMap((wave) => openRecords(state, wave)).map(({ id }) => id);
  const deferred = given(board({}), idOf('c'), 'defer');
  expect(blocks(deferred)).toEqual([]);
  expect(blocks(given(deferred, idOf('c')))).toEqual(['request-1']);
  const misrouted = board({ target: idOf('nobody') });
  expect(blocks(misrouted)).toEqual(['request-1']);
  expect(recordById(given(misrouted, 'person'), '1')?.route).toBeUndefined();
  expect(blocks(given(misrouted, 'person'))).toEqual([]);
});

test('a question may be closed without words, a request that blocks may not', () => {
  const close = (state: RunState) => {
    const closed = answer(state, { type: 'requested-answer', record: '1', text: null, by: me }, at);
    return closed.ok ? 'closed' : closed.error.rule;
  };
  expect(close(board({ kind: 'question' }))).toBe('closed');
  expect(close(board({ severity: 'advisory' }))).toBe('closed');
  expect(close(board({}))).toBe('record-reason');
});

test('defect 1 of the original: what came later in the ledger wins, whatever its time says', () => {
  const late = { type: 'record-changed', record: '1', act: 'acknowledge', status: 'acknowledged' } as const;
  const resolved = { ...late, act: 'resolve', status: 'resolved', at: '2020-01-01T00:00:00.000Z' } as const;
  const state = stateAfterMore(board({}), { ...late, at: '2030-01-01T00:00:00.000Z', by: me }, { ...resolved, by: me });
  expect(statusOf(state)).toBe('resolved');
});

test('defect 8 of the original: words decide nothing, neither about contradictions nor about what is settled', () => {
  const state = board(
    { kind: 'claim', text: 'these claims conflict and contradict each other' },
    { kind: 'decision', target: 'all', text: 'do it' },
    { text: 'do it' },
  );
  expect(recordById(state, '1')).toMatchObject({ kind: 'claim', status: 'closed' });
  expect(statusOf(state, '3')).toBe('open');
});
