import { expect, test } from 'vitest';
import { me, order, plan } from '../../../test/support/plans.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { evolveRun } from '../../domain/run/run.ts';
import { steps } from '../../pipeline/steps.ts';
import { isAtRest, rehearse } from './create-run.ts';

test('a run that waits for a person rests, also when a record is overdue that nobody was told of yet', () => {
  const at = (minute: number) => ({ now: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(), nonce: () => '' });
  const ordered = order(plan([{ a: {} }]));
  const waiting = rehearse(ordered, { earlier: [], actual: ordered.repo }, at(0));
  const asked: RunEvent = {
    type: 'record-posted',
    kind: 'question',
    target: 'person',
    text: 'x',
    place: { id: '1', to: 'person', status: 'open', at: at(0).now },
    by: me,
  };
  const state = evolveRun(waiting, { seq: 1, event: asked });
  if (state === null) throw new Error('there is no run');
  expect(steps(state, at(29))).toEqual([]);
  expect(steps(state, at(30))).toMatchObject([{ kind: 'fact', events: [{ type: 'records-overdue' }] }]);
  expect([29, 30].map((minute) => isAtRest(state, at(minute)))).toEqual([true, true]);
});
