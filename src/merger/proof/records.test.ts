import { describe, expect, test } from 'vitest';
import { attempt, commit, created, idOf, me, plan } from '../../../test/support/plans.ts';
import type { AgentNote } from '../../domain/agents/agent-note.ts';
import type { RecordChange, RecordTarget } from '../../domain/board/board.ts';
import type { RecordKind } from '../../domain/board/kinds.ts';
import type { LedgerEvent } from '../../domain/ledger/events.ts';
import type { Stored } from '../../ports/ledger.ts';
import { openRecordGap, recordAtLanding } from './records.ts';

const frozen = plan([
  { a: {}, b: {}, c: {} },
  { later: {}, reads: { owns: [] } },
]);
const history = (...events: readonly LedgerEvent[]): readonly Stored[] =>
  [created(frozen), ...events].map((event, index) => ({
    stream: 'demo-ab12',
    position: index + 1,
    seq: index + 1,
    at: '2026-01-01T00:00:00.000Z',
    epoch: 1,
    hash: String(index),
    event,
  }));

const posted = (to: RecordTarget, kind: RecordKind = 'request', from = 'a'): LedgerEvent => ({
  type: 'attempt-noted',
  task: idOf(from),
  attempt: attempt(from, 1),
  number: 1,
  note: { note: 'posted', post: 1, kind, target: to, text: 'x', severity: 'critical' },
  place: { id: '1', to, status: 'open' },
});
const acted = (task: string, change: Partial<RecordChange>): LedgerEvent => ({
  type: 'attempt-noted',
  task: idOf(task),
  attempt: attempt(task, 1),
  number: 2,
  note: { note: 'acted', record: '1', act: 'resolve' },
  changes: [{ record: '1', act: 'resolve', status: 'resolved', ...change }],
});
const asked: LedgerEvent = { type: 'requested-record', record: '1', act: 'dismiss', text: 'no', by: me };
const dismissed: LedgerEvent = {
  type: 'record-changed',
  record: '1',
  act: 'dismiss',
  status: 'closed',
  by: me,
};
const open = { gap: 'record-open', record: '1' };

test('an open record is a gap for its wave only', () => {
  expect(openRecordGap(history(posted(idOf('b'))), 0)).toEqual(open);
  expect(openRecordGap(history(posted(idOf('later'))), 0)).toBeNull();
  expect(openRecordGap(history(posted(idOf('reads'))), 0)).toBeNull();
  expect(openRecordGap(history(posted(idOf('later'))), 1)).toEqual(open);
  expect(openRecordGap(history(posted(idOf('later'), 'contradiction')), 0)).toEqual(open);
  // tasks of later waves may start early
  expect(openRecordGap(history(posted('person', 'blocker', 'later')), 0)).toBeNull();
});

test('it is settled by the agent of its task, or by a person who asked for it, and by nobody else', () => {
  const request = posted(idOf('b'));
  expect(openRecordGap(history(request, acted('b', {})), 0)).toBeNull();
  expect(openRecordGap(history(request, acted('a', {})), 0)).toEqual(open);
  expect(openRecordGap(history(request, acted('a', { act: 'cancel', status: 'cancelled' })), 0)).toBeNull();
  expect(openRecordGap(history(request, acted('b', { act: 'cancel', status: 'cancelled' })), 0)).toEqual(open);
  for (const act of ['dismiss', 'defer', 'advisory', 'stale', 'reassign'] as const)
    expect(openRecordGap(history(request, acted('b', { act, status: 'closed' })), 0)).toEqual(open);
  expect(openRecordGap(history(request, asked, dismissed), 0)).toBeNull();
  expect(openRecordGap(history(request, dismissed), 0)).toEqual(open);
  const byRule: LedgerEvent = { ...dismissed, by: { who: 'tidegate', via: 'policy' } } as LedgerEvent;
  expect(openRecordGap(history(request, asked, byRule), 0)).toEqual(open);
});

test('an escalation that its agent cancels settles nothing behind it', () => {
  const escalated: LedgerEvent = {
    type: 'attempt-noted',
    task: idOf('b'),
    attempt: attempt('b', 1),
    number: 2,
    note: { note: 'acted', record: '1', act: 'escalate', text: 'not mine' },
    changes: [{ record: '1', act: 'escalate', status: 'open' }],
    place: { id: '2', to: 'person', status: 'open', of: '1' },
  };
  const cancelled: LedgerEvent = {
    type: 'attempt-noted',
    task: idOf('b'),
    attempt: attempt('b', 1),
    number: 3,
    note: { note: 'acted', record: '2', act: 'cancel' },
    changes: [
      { record: '2', act: 'cancel', status: 'cancelled' },
      { record: '1', act: 'cancel', status: 'superseded' },
    ],
  };
  expect(openRecordGap(history(posted(idOf('b')), escalated, cancelled), 0)).toEqual(open);
});

test('a question is settled by a decision of a person that names the same path, and by no other decision', () => {
  const question: LedgerEvent = {
    ...posted(idOf('b')),
    note: {
      note: 'posted',
      post: 1,
      kind: 'question',
      target: idOf('b'),
      text: 'x',
      references: ['path:a.txt', 'task:a'],
    },
  } as LedgerEvent;
  const place = { id: '2', to: 'all', status: 'closed' } as const;
  const decision = (reference: string): LedgerEvent => ({
    type: 'record-posted',
    kind: 'decision',
    target: 'all',
    text: 'metres',
    references: [reference],
    place,
    by: me,
  });
  const settled = {
    type: 'record-changed',
    record: '1',
    act: 'answer',
    status: 'answered',
    by: { who: me.who, via: 'policy' },
  } as const;
  expect(openRecordGap(history(question, decision('path:a.txt'), settled), 0)).toBeNull();
  expect(openRecordGap(history(question, decision('path:b.txt'), settled), 0)).toEqual(open);
  expect(openRecordGap(history(question, decision('task:a'), settled), 0)).toEqual(open);
  const agents: LedgerEvent = {
    ...posted('all', 'decision', 'b'),
    note: { note: 'posted', post: 1, kind: 'decision', target: 'all', text: 'x', references: ['path:a.txt'] },
    place,
  } as LedgerEvent;
  expect(openRecordGap(history(question, agents, settled), 0)).toEqual(open);
});

describe('a rule that gives a question to somebody else', () => {
  const question: LedgerEvent = {
    type: 'attempt-noted',
    task: idOf('a'),
    attempt: attempt('a', 1),
    number: 1,
    note: { note: 'posted', post: 1, kind: 'question', target: idOf('b'), text: 'x' },
    place: { id: '1', to: idOf('b'), status: 'open' },
  };
  const rule = { who: 'tidegate', via: 'policy' } as const;
  const rerouted = (change: Partial<RecordChange> = {}): LedgerEvent => ({
    type: 'record-changed',
    record: '1',
    act: 'reassign',
    status: 'open',
    to: idOf('c'),
    route: { asked: 'b', reason: 'owns-path' },
    ...change,
    by: rule,
  });
  const escalated: LedgerEvent = {
    type: 'record-posted',
    kind: 'human-escalation',
    target: 'person',
    text: 'x',
    place: { id: '2', to: 'person', status: 'open', of: '1' },
    by: rule,
  };

  test('lets its new task settle it, and not the one before', () => {
    expect(openRecordGap(history(question, rerouted()), 0)).toEqual(open);
    expect(openRecordGap(history(question, rerouted(), acted('c', {})), 0)).toBeNull();
    expect(openRecordGap(history(question, rerouted(), acted('b', {})), 0)).toEqual(open);
  });

  test('never takes it out of the way', () => {
    for (const change of [
      { status: 'closed' },
      { to: 'person' },
      { to: idOf('later') },
      { severity: 'advisory' },
      { setAside: 'deferred' },
      { act: 'dismiss', status: 'closed' },
    ] as const)
      expect(openRecordGap(history(question, rerouted(change)), 0)).toEqual(open);
    expect(openRecordGap(history(posted(idOf('b')), rerouted(), acted('c', {})), 0)).toEqual(open);
  });

  test('also asks a person, whose answer settles both', () => {
    const answer: LedgerEvent = { type: 'requested-answer', record: '2', text: 'metres', by: me };
    const answered: LedgerEvent = { type: 'record-answered', record: '2', text: 'metres', by: me };
    const also: LedgerEvent = { type: 'record-changed', record: '1', act: 'answer', status: 'answered', by: me };
    expect(openRecordGap(history(question, escalated, acted('b', {})), 0)).toEqual({ ...open, record: '2' });
    expect(openRecordGap(history(question, escalated, answer, answered, also), 0)).toBeNull();
    expect(openRecordGap(history(question, escalated, answered, also), 0)).toEqual(open);
  });

  test('blocks the wave that the question blocks', () => {
    const later: LedgerEvent = { ...question, place: { id: '1', to: idOf('later'), status: 'open' } };
    expect(openRecordGap(history(later, escalated), 0)).toBeNull();
    expect(openRecordGap(history(later, escalated), 1)).toEqual(open);
  });
});

test('a question that a person took from a capability does not block', () => {
  const routed: LedgerEvent = {
    type: 'attempt-noted',
    task: idOf('a'),
    attempt: attempt('a', 1),
    number: 1,
    note: { note: 'posted', post: 1, kind: 'question', target: 'capability:sql', text: 'x' },
    place: { id: '1', to: idOf('b'), status: 'open', route: { asked: 'capability:sql', reason: 'least-open' } },
  };
  const request: LedgerEvent = { type: 'requested-record', record: '1', act: 'reassign', to: 'person', by: me };
  const taken: LedgerEvent = { ...dismissed, act: 'reassign', status: 'open', to: 'person' } as LedgerEvent;
  expect(openRecordGap(history(routed, request, taken), 0)).toBeNull();
});

test('a decision that was taken over settles a question only as a person posted it to the repository, until it is withdrawn', () => {
  const question: LedgerEvent = {
    ...posted(idOf('b')),
    note: { note: 'posted', post: 1, kind: 'question', target: idOf('b'), text: 'x', references: ['path:a.txt'] },
  } as LedgerEvent;
  const decision = { kind: 'decision', target: 'all', text: 'metres', references: ['path:a.txt'], by: me } as const;
  const there = { id: '7', to: 'all', status: 'open' } as const;
  const here = { id: '2', to: 'all', status: 'closed' } as const;
  const copy: LedgerEvent = { type: 'record-posted', ...decision, place: here, repository: '7' };
  const byPolicy = { who: me.who, via: 'policy' } as const;
  const settled: LedgerEvent = { type: 'record-changed', record: '1', act: 'answer', status: 'answered', by: byPolicy };
  const above = (...events: readonly LedgerEvent[]) => history(...events).slice(1);
  const request: LedgerEvent = { type: 'requested-post', ...decision };
  const post: LedgerEvent = { type: 'record-posted', ...decision, place: there };
  const past = history(question, copy, settled);
  expect(openRecordGap(past, 0, above(request, post))).toBeNull();
  expect(openRecordGap(past, 0)).toEqual(open);
  expect(openRecordGap(past, 0, above(post))).toEqual(open);
  expect(openRecordGap(past, 0, above(request, { ...post, text: 'feet' } as LedgerEvent))).toEqual(open);
  expect(openRecordGap(past, 0, above({ ...request, references: [] } as LedgerEvent, post))).toEqual(open);
  const unasked: LedgerEvent = { ...request, by: byPolicy } as LedgerEvent;
  expect(openRecordGap(past, 0, above(unasked, { ...post, by: byPolicy } as LedgerEvent))).toEqual(open);
  const withdrawn: LedgerEvent = { type: 'record-changed', record: '2', act: 'cancel', status: 'cancelled', by: me };
  expect(openRecordGap(history(question, copy, withdrawn, settled), 0, above(request, post))).toEqual(open);
});

test('nothing that the orchestrator does is a gap, and nothing that it does closes one', () => {
  const noted = (note: AgentNote, more: object = {}): LedgerEvent =>
    ({ type: 'orchestrator-noted', attempt: attempt('orchestrator', 1), number: 1, note, ...more }) as LedgerEvent;
  const guidance = {
    note: 'posted',
    post: 1,
    kind: 'orchestrator-guidance',
    target: idOf('b'),
    text: 'x',
    severity: 'critical',
    references: ['path:a.txt', 'record:1'],
    dependsOn: ['1'],
  } as const;
  const place = { id: '2', to: idOf('b'), status: 'closed' } as const;
  expect(openRecordGap(history(noted(guidance, { place })), 0)).toBeNull();
  // not even one that a ledger says was open, or was a request
  expect(openRecordGap(history(noted(guidance, { place: { ...place, status: 'open' } })), 0)).toBeNull();
  const request = noted({ ...guidance, kind: 'request' }, { place: { ...place, status: 'open' } });
  expect(openRecordGap(history(request), 0)).toBeNull();
  const asks = posted(idOf('b'));
  const settles = [
    noted(guidance, { place: { ...place, of: '1' } }),
    noted({ ...guidance, kind: 'decision' }, { place }),
    noted(
      { note: 'acted', record: '1', act: 'resolve' },
      { changes: [{ record: '1', act: 'resolve', status: 'resolved' }] },
    ),
    acted('orchestrator', {}),
    acted('orchestrator', { act: 'dismiss', status: 'closed' }),
  ];
  for (const event of settles) expect(openRecordGap(history(asks, event), 0)).toEqual(open);
});

test('nothing lands over an open record, unless it is of a wave that is open', () => {
  const intent = { type: 'landing-intended', branch: 'main', old: null, new: commit(1), worktree: null } as const;
  const escalation = (from: string): LedgerEvent => ({
    type: 'attempt-noted',
    task: idOf(from),
    attempt: attempt(from, 1),
    number: 1,
    note: { note: 'posted', post: 1, kind: 'human-escalation', target: 'person', text: 'x' },
    place: { id: '1', to: 'person', status: 'open' },
  });
  const closed: LedgerEvent = { type: 'wave-closed', wave: 0 };
  const held = { rule: 'landing-question', run: 'demo-ab12', record: '1', branch: 'main', kind: 'human-escalation' };
  expect(recordAtLanding(history(closed, escalation('a')), intent)).toEqual(held);
  expect(recordAtLanding(history(closed, escalation('later')), intent)).toBeNull();
  expect(recordAtLanding(history(closed, { ...closed, wave: 1 }, escalation('later')), intent)).toEqual(held);
  expect(recordAtLanding(history(posted(idOf('b'))), intent)).toEqual({ ...held, kind: 'request' });
  expect(recordAtLanding(history(closed, posted(idOf('b')), asked, dismissed), intent)).toBeNull();
});

test('a person consents to the act that they asked for, and to no other', () => {
  const request = posted(idOf('b'));
  const consents = (event: LedgerEvent) => openRecordGap(history(request, event, dismissed), 0) === null;
  expect(consents(asked)).toBe(true);
  expect(consents({ type: 'requested-answer', record: '1', text: null, by: me })).toBe(true);
  expect(consents({ type: 'requested-resolve', barrier: 'request-1', reason: 'x', by: me })).toBe(true);
  expect(consents({ type: 'requested-answer', record: '1', text: 'yes', by: me })).toBe(false);
  expect(consents({ type: 'requested-record', record: '1', act: 'acknowledge', by: me })).toBe(false);
  for (const barrier of ['proof-api-1', 'question-1', '1'])
    expect(consents({ type: 'requested-resolve', barrier, reason: 'x', by: me })).toBe(false);
});

test('a change does what its act does, and nothing else', () => {
  const request = posted(idOf('b'));
  const acknowledge: LedgerEvent = { type: 'requested-record', record: '1', act: 'acknowledge', by: me };
  const changes: readonly Partial<RecordChange>[] = [
    { status: 'closed' },
    { status: 'acknowledged', setAside: 'deferred' },
    { status: 'acknowledged', severity: 'advisory' },
    { status: 'acknowledged', to: 'person' },
  ];
  for (const change of changes) {
    const event = { record: '1', act: 'acknowledge', status: 'acknowledged', ...change } as const;
    const byPerson: LedgerEvent = { type: 'record-changed', ...event, by: me };
    expect(openRecordGap(history(request, acknowledge, byPerson), 0)).toEqual(open);
    expect(openRecordGap(history(request, acted('b', event)), 0)).toEqual(open);
  }
});

test('what an agent cancels leaves what another one escalated', () => {
  const escalated: LedgerEvent = {
    ...acted('b', { act: 'escalate', status: 'open' }),
    place: { id: '2', to: 'person', status: 'open', of: '1' },
  } as LedgerEvent;
  const cancelled: LedgerEvent = {
    ...acted('a', {}),
    changes: [
      { record: '1', act: 'cancel', status: 'cancelled' },
      { record: '2', act: 'cancel', status: 'superseded' },
    ],
  } as LedgerEvent;
  expect(openRecordGap(history(posted(idOf('b')), escalated, cancelled), 0)).toEqual({ ...open, record: '2' });
});

test('a record that a person gives to somebody waits for them, and not for what it asked before', () => {
  const by = { by: me };
  const misrouted = {
    ...posted('person'),
    place: { id: '1', to: 'person', status: 'open', route: { asked: 'x', reason: 'no-task' } },
  };
  const normal = { note: 'posted', post: 1, kind: 'request', target: idOf('x'), text: 'x' } as const;
  const asks = (act: 'defer' | 'reassign', to?: RecordTarget): readonly LedgerEvent[] => [
    { type: 'requested-record', record: '1', act, ...(to === undefined ? {} : { to }), ...by },
    {
      type: 'record-changed',
      record: '1',
      act,
      status: 'open',
      ...(to === undefined ? { setAside: 'deferred' } : { to }),
      ...by,
    },
  ];
  const taken = { ...misrouted, note: normal } as LedgerEvent;
  expect(openRecordGap(history(taken), 0)).toEqual(open);
  expect(openRecordGap(history(taken, ...asks('reassign', 'person')), 0)).toBeNull();
  expect(openRecordGap(history(taken, ...asks('defer')), 0)).toBeNull();
  expect(openRecordGap(history(taken, ...asks('defer'), ...asks('reassign', idOf('b'))), 0)).toEqual(open);
});
