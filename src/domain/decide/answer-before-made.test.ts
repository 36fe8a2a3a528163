import { describe, expect, test } from 'vitest';
import { created, hashOf, idOf, me, plan, stateAfter } from '../../../test/support/plans.ts';
import { planHash } from '../base/ids.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import type { RunState } from '../run/run.ts';
import { answersBeforeMade } from './answer-before-made.ts';

const frozen = plan([{ a: {} }]);
const hash = hashOf(frozen);
const state = stateAfter(created(frozen));
const at = '2026-01-01T00:00:00.000Z';
const decide = (type: 'requested-approve' | 'requested-reject' | 'requested-hold'): RequestEvent => ({
  type,
  tap: 'start',
  hash,
  at,
  by: me,
});
const opened = { type: 'tap-opened', tap: 'start', hash, expires: null } as const;
const decided = (decision: 'approved' | 'rejected' | 'held') =>
  ({ type: 'tap-decided', tap: 'start', decision, hash, by: me }) as const;
const over = { type: 'run-ended', outcome: 'rejected' } as const;
const answers = (state: RunState, ...requests: RequestEvent[]) =>
  answersBeforeMade(
    state,
    requests.map((request, index) => ({ seq: 7 + index, request })),
  );
const accepted = { type: 'request-accepted', request: 7 } as const;
const refused = (error: object) => [{ type: 'request-refused', request: 7, because: expect.objectContaining(error) }];

describe('a run that is ordered and not made yet', () => {
  test.each([
    ['stop', { type: 'requested-stop', by: me }, [{ type: 'run-stopped', by: me }]],
    [
      'abandon',
      { type: 'requested-abandon', by: me },
      [
        { type: 'run-abandoned', by: me },
        { type: 'run-ended', outcome: 'abandoned' },
      ],
    ],
    ['reject', decide('requested-reject'), [opened, decided('rejected'), over]],
    ['approve', decide('requested-approve'), [opened, decided('approved')]],
    ['hold', decide('requested-hold'), [opened, decided('held')]],
  ] as const)('answers %s at once', (_, request, events) => {
    expect(answers(state, request)).toEqual([...events, accepted]);
  });

  test('is approved by the tap of its first wave where each wave has one', () => {
    const byWave = stateAfter(created(plan([{ a: {} }, { b: {} }], { taps: { start: 'wave' } })));
    const approve = (tap: 'start-0' | 'start-1'): RequestEvent => ({
      type: 'requested-approve',
      tap,
      hash: byWave.hash,
      at,
      by: me,
    });
    expect(answers(byWave, approve('start-0'))).toContainEqual(accepted);
    expect(answers(byWave, approve('start-1'))).toEqual(refused({ rule: 'tap-absent' }));
  });

  test('is decided once, and for the plan that it has', () => {
    const approved = stateAfter(created(frozen), opened, decided('approved'));
    expect(answers(approved, decide('requested-reject'))).toEqual(
      refused({ rule: 'tap-settled', status: 'approved', who: 'ada' }),
    );
    const other = { ...decide('requested-approve'), hash: planHash('f'.repeat(64)) } as RequestEvent;
    expect(answers(state, other)).toEqual(refused({ rule: 'plan-outdated' }));
    const held = stateAfter(created(frozen), opened, decided('held'));
    expect(answers(held, decide('requested-approve'))).toEqual([decided('approved'), accepted]);
  });

  test.each<RequestEvent>([
    { type: 'requested-drop', task: idOf('a'), paths: [], by: me },
    { type: 'requested-pause', by: me },
    { type: 'requested-land', by: me },
    { type: 'requested-undo', task: null, by: me },
    { type: 'requested-replan', plan: frozen, hash, replaces: hash, by: me },
  ])('refuses anything else: $type', (request) => {
    expect(answers(state, request)).toEqual(refused({ rule: 'run-being-made', run: 'demo-ab12' }));
  });

  test('answers each request on what the one before it came to', () => {
    expect(answers(state, { type: 'requested-abandon', by: me }, decide('requested-approve'))).toEqual([
      { type: 'run-abandoned', by: me },
      { type: 'run-ended', outcome: 'abandoned' },
      accepted,
      { type: 'request-refused', request: 8, because: { rule: 'run-ended', outcome: 'abandoned' } },
    ]);
  });
});
