import { policy } from '../settings/policy.ts';
import type { RoundState } from './round.ts';

/**
 * Returns how many tasks the next round may take; null for all that are ready. A prefix cannot be checked by itself when its
 * generated files are made for a whole candidate. The task that breaks it is then found by rounds of half the suspects: a round
 * that passes is merged and leaves the other half, a round that fails leaves its own half.
 */
export function nextRoundSize(rounds: readonly RoundState[]): number | null {
  let suspects = 0;
  for (const round of rounds) {
    if (round.status === 'abandoned') suspects = round.suspects;
    else if (round.status === 'merged') suspects = Math.max(0, suspects - round.steps.length);
  }
  return suspects === 0 ? null : Math.max(1, Math.floor(suspects / 2));
}

type Bisection =
  /** Check this prefix of the steps next. */
  | { readonly next: 'check'; readonly prefix: number }
  | { readonly next: 'culprit'; readonly index: number }
  /** The runs are used up: everything in the remaining range is suspect. */
  | { readonly next: 'give-up'; readonly from: number; readonly to: number };

/**
 * Finds the first prefix that fails, given that none (length 0) passes and all (length `steps`) fail.
 * `outcome(n)` is the known outcome of the prefix of length n.
 */
export function bisect(
  steps: number,
  outcome: (prefix: number) => 'passed' | 'failed' | 'unknown',
  limit: number = policy.bisectRuns,
): Bisection {
  let good = 0;
  let bad = steps;
  for (let runs = 1; bad - good > 1; runs += 1) {
    const middle = good + Math.floor((bad - good) / 2);
    const known = outcome(middle);
    if (known === 'unknown')
      return runs >= limit ? { next: 'give-up', from: good, to: bad - 1 } : { next: 'check', prefix: middle };
    if (known === 'passed') good = middle;
    else bad = middle;
  }
  return { next: 'culprit', index: bad - 1 };
}
