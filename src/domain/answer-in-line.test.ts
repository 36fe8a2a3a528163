import { describe, expect, test } from 'vitest';
import { created, hashOf, idOf, me, plan, stateAfter } from '../../test/support/plans.ts';
import { answerInLine, answersInLine } from './answer-in-line.ts';
import { planHash, runId } from './ids.ts';
import type { RequestEvent } from './requests.ts';

const frozen = plan([{ a: {} }]);
const hash = hashOf(frozen);
const state = stateAfter(created(frozen));
const first = runId('first-ab12');
const decide = (type: 'requested-approve' | 'requested-reject' | 'requested-hold'): RequestEvent => ({
  type,
  tap: 'start',
  hash,
  by: me,
});
const opened = { type: 'tap-opened', tap: 'start', hash, expires: null } as const;
const decided = (decision: 'approved' | 'rejected' | 'held') =>
  ({ type: 'tap-decided', tap: 'start', decision, hash, by: me }) as const;
const over = { type: 'run-ended', outcome: 'rejected' } as const;

describe('a run that waits in line', () => {
  test.each([
    ['stop', { type: 'requested-stop', by: me }, [{ type: 'run-stopped', by: me }, over]],
    ['reject', decide('requested-reject'), [opened, decided('rejected'), over]],
    ['approve', decide('requested-approve'), [opened, decided('approved')]],
    ['hold', decide('requested-hold'), [opened, decided('held')]],
  ] as const)('answers %s at once', (_, request, events) => {
    expect(answerInLine(state, request, first)).toEqual({ ok: true, value: events });
  });

  test('is approved by the tap of its first wave where each wave has one', () => {
    const byWave = stateAfter(created(plan([{ a: {} }, { b: {} }], { taps: { start: 'wave' } })));
    const approve = (tap: 'start-0' | 'start-1'): RequestEvent => ({
      type: 'requested-approve',
      tap,
      hash: byWave.hash,
      by: me,
    });
    expect(answerInLine(byWave, approve('start-0'), first).ok).toBe(true);
    expect(answerInLine(byWave, approve('start-1'), first).ok).toBe(false);
  });

  test('is decided once, and for the plan that it has', () => {
    const approved = stateAfter(created(frozen), opened, decided('approved'));
    expect(answerInLine(approved, decide('requested-reject'), first)).toEqual({
      ok: false,
      error: { rule: 'tap-settled', status: 'approved', who: 'ada' },
    });
    const other = { ...decide('requested-approve'), hash: planHash('f'.repeat(64)) } as RequestEvent;
    expect(answerInLine(state, other, first).ok).toBe(false);
    const held = stateAfter(created(frozen), opened, decided('held'));
    expect(answerInLine(held, decide('requested-approve'), first)).toEqual({ ok: true, value: [decided('approved')] });
  });

  test.each<RequestEvent>([
    { type: 'requested-drop', task: idOf('a'), paths: [], by: me },
    { type: 'requested-pause', by: me },
    { type: 'requested-land', by: me },
    { type: 'requested-undo', task: null, by: me },
    { type: 'requested-replan', plan: frozen, hash, replaces: hash, by: me },
  ])('refuses anything else, and says what it waits for: $type', (request) => {
    expect(answerInLine(state, request, first)).toMatchObject({
      error: { rule: 'run-in-line', run: 'demo-ab12', behind: 'first-ab12', branch: 'main' },
    });
  });

  test('answers each request on what the one before it came to', () => {
    const pending = [
      { seq: 7, request: { type: 'requested-stop', by: me } as const },
      { seq: 8, request: decide('requested-approve') },
    ];
    expect(answersInLine(state, pending, first)).toEqual([
      { type: 'run-stopped', by: me },
      over,
      { type: 'request-accepted', request: 7 },
      { type: 'request-refused', request: 8, because: { rule: 'run-ended', outcome: 'rejected' } },
    ]);
  });
});
