import { expect, test } from 'vitest';
import { attempt, created, idOf, me, plan } from '../../../test/support/plans.ts';
import type { RecordChange, RecordTarget } from '../../domain/board/board.ts';
import type { RecordKind } from '../../domain/board/kinds.ts';
import type { LedgerEvent } from '../../domain/ledger/events.ts';
import type { Stored } from '../../ports/ledger.ts';
import { openRecordGap } from './records.ts';

const frozen = plan([
  { a: {}, b: {} },
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
