import { describe, expect, test } from 'vitest';
import { failure } from '../../../test/support/findings.ts';
import { created, hashOf, me, plan, stateAfter } from '../../../test/support/plans.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RunState } from '../run/run.ts';
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
