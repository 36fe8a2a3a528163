import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commit, idOf, snapshot, tree } from '../../../test/support/plans.ts';
import { policy } from '../settings/policy.ts';
import { bisect, nextRoundSize } from './bisection.ts';
import type { RoundState } from './round.ts';

const opened: RoundState = {
  round: 1,
  base: commit('base'),
  tasks: [{ task: idOf('a'), snapshot: snapshot('a').commit }],
  status: 'opened',
};
const step = { task: idOf('a'), commit: commit('a'), tree: tree('a') };

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
    const candidate = { steps: Array.from({ length: size }, () => step), tip: null };
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
