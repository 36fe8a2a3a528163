import { expect, test } from 'vitest';
import { commit, created, ended, exited, log, plan, stateAfter, tree } from '../../../test/support/plans.ts';
import type { CheckPurpose, RunEvent } from '../ledger/events.ts';
import { checkOutcome } from './check-outcome.ts';
import type { CheckOutcome, Ending } from './evidence.ts';

const frozen = plan([{ a: {} }], { checks: [{ name: 'test', run: 'npm test', minutes: 10 }], setup: 'npm ci' });
const made: RunEvent = { type: 'run-branch-made', commit: commit('base'), tree: tree('base') };
const checked = (outcome: CheckOutcome['outcome']): RunEvent => ({
  type: 'check-ended',
  purpose: 'base',
  check: { name: 'test', tree: tree('base'), outcome, code: 0, log, tail: '' },
});
const setup = { rule: 'setup-failed', command: 'npm ci', code: 3, signal: null } as const;
const failing: Ending = { ...ended('setup-failed', { ...setup, words: 'no network' }), code: 3 };

const outcomeOf = (ending: Ending, purpose: CheckPurpose, ...past: readonly RunEvent[]) => {
  const end = { purpose, name: 'test', tree: tree('new'), ending, log, tail: 'no network' };
  const { outcome, because } = checkOutcome(stateAfter(created(frozen), ...past), end);
  return because === undefined ? outcome : { outcome, because };
};

test('a setup that fails counts against the tree where it passed on the run branch', () => {
  for (const purpose of ['candidate', 'land', 'undo'] as const)
    expect(outcomeOf(failing, purpose, made, checked('passed'))).toEqual({
      outcome: 'failed',
      because: { ...setup, words: '' },
    });
});

test('a setup that fails on the base, or never passed there, says nothing of the tree', () => {
  const unknown = { outcome: 'could-not-run', because: { ...setup, words: 'no network' } };
  expect(outcomeOf(failing, 'base', made, checked('passed'))).toEqual(unknown);
  expect(outcomeOf(failing, 'candidate', made)).toEqual(unknown);
  expect(outcomeOf(failing, 'candidate', made, checked('could-not-run'))).toEqual(unknown);
  expect(outcomeOf(failing, 'candidate')).toEqual(unknown);
});

test('a setup that reaches its time limit is named', () => {
  const because = { rule: 'setup-limit', command: 'npm ci', because: { rule: 'time-limit', minutes: 30 } } as const;
  expect(
    outcomeOf(ended('timed-out', { ...because, words: 'no network' }), 'candidate', made, checked('passed')),
  ).toEqual({ outcome: 'timed-out', because: { ...because, words: '' } });
  expect(outcomeOf(ended('timed-out', because.because), 'candidate', made)).toBe('timed-out');
});

test('a failure of the machine says nothing of the tree, and an exit code does', () => {
  for (const reason of ['lost', 'launch-failed', 'stopped'] as const)
    expect(outcomeOf(ended(reason), 'candidate', made, checked('passed'))).toBe('could-not-run');
  expect(outcomeOf(exited(0), 'candidate', made)).toBe('passed');
  expect(outcomeOf(exited(1), 'candidate', made)).toBe('failed');
});
