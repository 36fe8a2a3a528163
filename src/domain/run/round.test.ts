import { describe, expect, test } from 'vitest';
import { commit, idOf, snapshot, tree } from '../../../test/support/plans.ts';
import { inconclusive, pass } from '../gates/make-verdict.ts';
import type { Verdict } from '../gates/verdict.ts';
import type { RunEvent } from '../ledger/events.ts';
import { evolveRound, isRoundOpen, type RoundState } from './round.ts';

const opened: RoundState = {
  round: 1,
  base: commit('base'),
  tasks: [{ task: idOf('a'), snapshot: snapshot('a').commit }],
  status: 'opened',
};
const steps = [{ task: idOf('a'), commit: commit('a'), tree: tree('a') }];
const at = { wave: 0, round: 1 } as const;
const built: RunEvent = { type: 'candidate-built', ...at, base: commit('base'), steps, conflicts: [] };
const closed = (verdicts: readonly Verdict[]): RunEvent => ({
  type: 'phase-judged',
  version: 1,
  phase: 'closure',
  wave: 0,
  evidence: { round: 1, base: commit('base'), candidate: commit('a'), tree: tree('a'), tasks: [], checks: [] },
  verdicts,
});
const intended: RunEvent = { type: 'merge-intended', ...at, old: commit('base'), new: commit('a') };
const merged: RunEvent = { ...intended, type: 'merged', tasks: [{ task: idOf('a'), commit: commit('a') }] };
const seen = (verdicts: readonly Verdict[]): RunEvent => ({
  type: 'phase-judged',
  version: 1,
  phase: 'merge',
  wave: 0,
  evidence: { round: 1, old: commit('base'), new: commit('a'), observed: commit('a'), proof: 'p' },
  verdicts,
});
const past = (...events: RunEvent[]): RoundState => events.reduce(evolveRound, opened);

describe('a round', () => {
  test('goes from opened to merged, one step after the other', () => {
    const path = [built, closed([pass('round')]), intended, merged];
    const statuses = path.map((_, index) => past(...path.slice(0, index + 1)).status);
    expect(statuses).toEqual(['built', 'closing', 'merging', 'merged']);
  });

  test('cannot be merged before it was intended', () => {
    expect(past(built, merged).status).toBe('built');
    expect(past(merged).status).toBe('opened');
  });

  test('is open until the merge was seen on the run branch', () => {
    const through = [built, closed([pass('round')]), intended, merged];
    expect(isRoundOpen(past(...through))).toBe(true);
    expect(isRoundOpen(past(...through, seen([inconclusive('proof', { rule: 'merge-proof' })])))).toBe(true);
    expect(isRoundOpen(past(...through, seen([pass('run-branch')])))).toBe(false);
  });

  test('is over when it is abandoned', () => {
    expect(isRoundOpen(past(built, { type: 'round-abandoned', ...at, because: { rule: 'round-conflicts' } }))).toBe(
      false,
    );
  });

  test('is not open when there is none', () => {
    expect(isRoundOpen(undefined)).toBe(false);
  });
});
