import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commit, idOf, snapshot, tree } from '../../../test/support/plans.ts';
import { bisect, inconclusive, nextRoundSize, pass } from '../gates/check-outcome.ts';
import type { Verdict } from '../gates/verdict.ts';
import type { RunEvent } from '../ledger/events.ts';
import { policy } from '../settings/policy.ts';
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

describe('bisect', () => {
  /** Plays it against a world where every prefix from `culprit` on fails. */
  function search(count: number, culprit: number) {
    const known = new Map<number, 'passed' | 'failed'>();
    for (;;) {
      const step = bisect(count, (prefix) => known.get(prefix) ?? 'unknown');
      if (step.next !== 'check') return { found: step, runs: known.size };
      known.set(step.prefix, step.prefix > culprit ? 'failed' : 'passed');
    }
  }
  const cases = fc.integer({ min: 1, max: 400 }).chain((count) => fc.tuple(fc.constant(count), fc.nat(count - 1)));

  test('finds the first failing prefix for every count and culprit that its runs suffice for', () => {
    for (let count = 1; count <= 2 ** (policy.bisectRuns - 1); count += count < 40 ? 1 : 11)
      for (let culprit = 0; culprit < count; culprit += 1)
        expect([count, search(count, culprit).found]).toEqual([count, { next: 'culprit', index: culprit }]);
  });

  test('never needs more runs than it may, with the one that failed first', () => {
    fc.assert(
      fc.property(cases, ([count, culprit]) => {
        expect(search(count, culprit).runs + 1).toBeLessThanOrEqual(policy.bisectRuns);
      }),
    );
  });

  test('gives up only on a range that holds the culprit', () => {
    fc.assert(
      fc.property(cases, ([count, culprit]) => {
        const { found } = search(count, culprit);
        if (found.next === 'give-up') expect(found.from <= culprit && culprit <= found.to).toBe(true);
        else expect(found).toEqual({ next: 'culprit', index: culprit });
      }),
    );
    expect(search(1000, 512).found.next).toBe('give-up');
  });

  test('blames a lone task without a run', () => {
    expect(bisect(1, () => 'unknown')).toEqual({ next: 'culprit', index: 0 });
  });
});

describe('rounds of fewer tasks', () => {
  const ended = (size: number, how: { suspects: number } | 'merged'): RoundState => {
    const candidate = { steps: Array.from({ length: size }, () => steps[0] as (typeof steps)[0]), tip: null };
    if (how !== 'merged') return { ...opened, status: 'abandoned', because: { rule: 'round-conflicts' }, ...how };
    const ids = { old: commit('base'), new: commit('a') };
    return { ...opened, ...candidate, ...ids, status: 'merged', closed: [], judged: true };
  };

  test('find the one task that breaks them, merge all before it, and take as many rounds as halving takes', () => {
    const anyCase = fc.integer({ min: 1, max: 128 }).chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1)));
    fc.assert(
      fc.property(anyCase, ([size, culprit]) => {
        const rounds: RoundState[] = [];
        let merged = 0;
        for (;;) {
          const taken = Math.min(size - merged, nextRoundSize(rounds) ?? size);
          const fails = culprit < merged + taken;
          if (fails && taken === 1) break;
          rounds.push(ended(taken, fails ? { suspects: taken } : 'merged'));
          if (!fails) merged += taken;
        }
        expect(merged).toBe(culprit);
        expect(rounds.length).toBeLessThanOrEqual(policy.bisectRuns);
      }),
    );
  });

  test('end with the blame: the next round takes all', () => {
    expect(nextRoundSize([])).toBeNull();
    expect(nextRoundSize([ended(4, { suspects: 4 })])).toBe(2);
    expect(nextRoundSize([ended(4, { suspects: 4 }), ended(2, 'merged')])).toBe(1);
    expect(nextRoundSize([ended(4, { suspects: 4 }), ended(2, 'merged'), ended(1, { suspects: 0 })])).toBeNull();
  });
});
