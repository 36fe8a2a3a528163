import { describe, expect, test } from 'vitest';
import { created, me, plan } from '../../../test/support/plans.ts';
import { taskId } from '../base/ids.ts';
import { recordsOf } from '../board/board.ts';
import type { LedgerEvent, RunEvent } from '../ledger/events.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import { evolveRun, foldRun, type RunState } from '../run/run.ts';
import { foldRepository, type RepositoryState } from './repository.ts';
import { answerOnRepository, openOnRepository, outlivedRecords, takenOver } from './repository-board.ts';

const at = '2026-01-01T00:00:00.000Z';
const asks = (more: Partial<RequestEvent & { type: 'requested-post' }> = {}): RequestEvent => ({
  type: 'requested-post',
  kind: 'decision',
  target: 'all',
  text: 'metres',
  by: me,
  ...more,
});
const acts = (record: string, act: 'dismiss' | 'resolve' | 'answer', text = 'over'): RequestEvent => ({
  type: 'requested-record',
  record,
  act,
  text,
  by: me,
});

/** Answers one request after the other, as the coordinator does. */
function answered(...requests: readonly RequestEvent[]): RepositoryState {
  let events: readonly LedgerEvent[] = [];
  for (const request of requests) {
    const decided = answerOnRepository(foldRepository(recorded(events)), request, at);
    if (!decided.ok || decided.value === 'later') throw new Error(JSON.stringify(decided));
    events = [...events, ...decided.value];
  }
  return foldRepository(recorded(events));
}
const recorded = (events: readonly LedgerEvent[]) => events.map((event, index) => ({ seq: index + 1, event }));

const run = (): RunState => {
  const state = foldRun(recorded([created(plan([{ a: {} }]))]));
  if (state === null) throw new Error('there is no run');
  return state;
};

/** Takes over all that there is, and tells how many events that took. */
function takenOverBy(before: RunState, above: RepositoryState): { readonly state: RunState; readonly events: number } {
  let state = before;
  for (let events = 0; ; events += 1) {
    const next: RunEvent | null = takenOver(state, above, at);
    if (next === null) return { state, events };
    state = evolveRun(state, { seq: 0, event: next }) ?? state;
  }
}

describe('the board of the repository', () => {
  test('keeps a record of any kind open until a person settles it', () => {
    expect(recordsOf(answered(asks(), asks({ kind: 'note' })))).toMatchObject([{ status: 'open' }, { status: 'open' }]);
    expect(recordsOf(answered(asks(), acts('1', 'dismiss')))).toMatchObject([{ status: 'closed' }]);
  });

  test('is for all or for a person, and knows no tasks', () => {
    for (const target of [taskId('a'), 'capability:sql'] as const)
      expect(answerOnRepository(answered(), asks({ target }))).toMatchObject({ error: { rule: 'repository-target' } });
    const toTask = { ...acts('1', 'dismiss'), act: 'reassign', to: taskId('a') } as RequestEvent;
    expect(answerOnRepository(answered(asks()), toTask)).toMatchObject({ error: { rule: 'repository-target' } });
    expect(answerOnRepository(answered(), acts('4', 'dismiss'))).toMatchObject({ error: { rule: 'no-such-record' } });
    const stop: RequestEvent = { type: 'requested-stop', by: me };
    expect(answerOnRepository(answered(), stop)).toMatchObject({ error: { rule: 'request-unknown' } });
  });

  test('asks people for what is for them, and for what is critical', () => {
    const above = answered(asks(), asks({ target: 'person' }), asks({ severity: 'critical' }));
    expect(openOnRepository(above).map(({ id }) => id)).toEqual(['2', '3']);
  });

  test('lists open records of runs that have ended, and of no others', () => {
    const posted = { kind: 'question', target: 'person', text: 'which?', by: me } as const;
    const event: RunEvent = { type: 'record-posted', ...posted, place: { id: '1', to: 'person', status: 'open' } };
    const live = evolveRun(run(), { seq: 2, event });
    const over = evolveRun(live, { seq: 3, event: { type: 'run-ended', outcome: 'landed' } });
    expect(outlivedRecords([live ?? run()])).toEqual([]);
    expect(outlivedRecords([over ?? run()])).toMatchObject([{ run: over?.run, record: { id: '1' } }]);
  });
});

describe('a live run', () => {
  test('takes over each open record for all once, and it blocks nothing there', () => {
    const above = answered(asks({ kind: 'contradiction', severity: 'critical' }), asks({ target: 'person' }), asks());
    const { state, events } = takenOverBy(run(), above);
    expect(events).toBe(2);
    expect(recordsOf(state)).toMatchObject([
      { id: '1', repository: '1', status: 'closed', target: 'all', from: me },
      { id: '2', repository: '3', status: 'closed' },
    ]);
    expect(takenOver(state, above, at)).toBeNull();
  });

  test('takes over paths and components, and no numbers of records', () => {
    const references = ['path:a.txt', 'component:api', 'record:1', 'task:a'];
    const above = answered(asks({ references }));
    expect(takenOver(run(), above, at)).toMatchObject({ references: ['path:a.txt', 'component:api', 'task:a'] });
  });

  test('learns how a record was settled, and forgets one that was settled before', () => {
    const { state } = takenOverBy(run(), answered(asks({ kind: 'question' }), asks()));
    const above = answered(asks({ kind: 'question' }), asks(), acts('1', 'answer', 'feet'), acts('2', 'dismiss'));
    const after = takenOverBy(state, above);
    expect(after.events).toBe(2);
    expect(recordsOf(after.state)).toMatchObject([
      { status: 'answered', answer: { text: 'feet', by: me } },
      { status: 'cancelled', reason: { text: 'over' } },
    ]);
    expect(takenOver(after.state, above, at)).toBeNull();
    expect(takenOver(run(), above, at)).toBeNull();
  });
});
