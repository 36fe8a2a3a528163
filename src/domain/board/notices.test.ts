import { describe, expect, test } from 'vitest';
import { failure } from '../../../test/support/findings.ts';
import { created, hashOf, me, plan, stateAfter, stateAfterMore } from '../../../test/support/plans.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RunState } from '../run/run.ts';
import { newlyOverdue } from './clocks.ts';
import { dueUpdates, noticesOf } from './notices.ts';

const frozen = plan([{ a: {} }]);
const run = (...events: RunEvent[]): RunState => stateAfter(created(frozen), ...events);
const asked: RunEvent = { type: 'tap-opened', tap: 'start', hash: hashOf(frozen), expires: null };
const halted = (why: string): RunEvent => ({ type: 'run-halted', because: failure(why) });
const itemsOf = (state: RunState, told: readonly string[] = []) =>
  dueUpdates(noticesOf(state), told).due.map(({ item }) => item);

describe('a person is told', () => {
  test('once of each thing that needs them, whatever words it has by then', () => {
    const [item = ''] = itemsOf(run(halted('no disk')));
    expect(item).toContain('halted');
    expect(itemsOf(run(halted('still no disk')), [item])).toEqual([]);
    expect(itemsOf(run(asked, halted('no disk')), [item])).toEqual([expect.stringContaining('approve')]);
  });

  test('again when it was over and came back', () => {
    const [item = ''] = itemsOf(run(halted('no disk')));
    const { stillOpen } = dueUpdates(noticesOf(run(halted('no disk'), { type: 'run-resumed', by: me })), [item]);
    expect(stillOpen).toEqual([]);
    expect(itemsOf(run(halted('no disk')), stillOpen)).toEqual([item]);
  });

  test('nothing of what people did themselves', () => {
    expect(itemsOf(run({ type: 'run-paused', by: me }))).toEqual([]);
    expect(itemsOf(run({ type: 'run-stopped', by: me }))).toEqual([]);
  });
});

describe('overdue records', () => {
  const minute = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString();
  const question = (id: string, at: string): RunEvent => ({
    type: 'record-posted',
    kind: 'question',
    target: 'person',
    text: 'x',
    place: { id, to: 'person', status: 'open', at },
    by: me,
  });
  const answered = (record: string): RunEvent => ({ type: 'record-answered', record, text: 'y', by: me });
  const later = (state: RunState, at: string, ...events: RunEvent[]): RunState => {
    const told = newlyOverdue(stateAfterMore(state, ...events), at);
    return stateAfterMore(state, ...events, ...(told === null ? [] : [told]));
  };
  const alerts = (state: RunState) =>
    noticesOf(state).flatMap(({ kind, item, message }) => (kind === 'overdue' ? [{ item, message }] : []));

  test('are told once, again when another one is overdue, and not when one of them is settled', () => {
    const first = later(run(question('1', minute(0)), question('2', minute(10))), minute(30));
    const [one] = alerts(first);
    expect(one?.message).toBe('question 1 is overdue: it has been waiting for you for 30m 00s');
    expect(newlyOverdue(first, minute(39))).toBeNull();
    const both = later(first, minute(40));
    const [two] = alerts(both);
    expect(two?.message).toContain(', and 1 more');
    expect(two?.item).not.toBe(one?.item);
    const less = later(both, minute(50), answered('1'));
    expect(alerts(less).map(({ item }) => item)).toEqual([two?.item]);
    expect(alerts(later(less, minute(60), answered('2')))).toEqual([]);
  });

  test('are told again for another target', () => {
    const told = later(run(question('1', minute(0))), minute(30));
    const given: RunEvent = {
      type: 'record-changed',
      record: '1',
      act: 'reassign',
      status: 'open',
      to: 'person',
      at: minute(35),
      by: me,
    };
    const anew = stateAfterMore(told, given);
    expect([alerts(anew), newlyOverdue(anew, minute(64))]).toEqual([[], null]);
    expect(alerts(later(anew, minute(65)))).toHaveLength(1);
  });
});

describe('the end of a run', () => {
  const newsOf = (outcome: 'landed' | 'done' | 'failed' | 'rejected') =>
    noticesOf(run({ type: 'run-ended', outcome })).map(({ news, kind, lasting }) => ({ news, kind, lasting }));

  test('is news that lasts, good or bad', () => {
    expect(newsOf('landed')).toEqual([{ news: 'done', kind: 'ended', lasting: true }]);
    expect(newsOf('done')).toEqual([{ news: 'done', kind: 'ended', lasting: true }]);
    expect(newsOf('failed')).toEqual([{ news: 'failed', kind: 'ended', lasting: true }]);
  });

  test('is none when a person said no', () => {
    expect(newsOf('rejected')).toEqual([]);
  });

  test('is another item when what was done has landed later', () => {
    const done = noticesOf(run({ type: 'run-ended', outcome: 'done' })).map(({ item }) => item);
    expect(itemsOf(run({ type: 'run-ended', outcome: 'landed' }), done)).toHaveLength(1);
  });
});
