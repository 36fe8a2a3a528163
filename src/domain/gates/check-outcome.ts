import type { TreeId } from '../base/ids.ts';
import { isNonEmpty } from '../base/result.ts';
import type { Finding, FindingOf } from '../findings/finding.ts';
import { boundedWords } from '../findings/words.ts';
import type { CheckPurpose } from '../ledger/events.ts';
import type { RoundState } from '../run/round.ts';
import { checkKey, type RunState } from '../run/run.ts';
import { policy } from '../settings/policy.ts';
import type { CheckOutcome, Ending, LogEvidence } from './evidence.ts';
import type { Verdict } from './verdict.ts';
import { type Gate, gateVersions } from './versions.ts';

type CheckEnd = {
  readonly purpose: CheckPurpose;
  readonly name: string;
  readonly tree: TreeId;
  readonly ending: Ending;
  readonly log: LogEvidence;
  readonly tail: string;
};

/**
 * The outcome of a check whose job has ended. A setup that fails on a tree is a failure of that tree where it passed on the run branch.
 * On the base itself it says nothing of any task.
 */
export function checkOutcome(state: Pick<RunState, 'plan' | 'branch' | 'checks'>, end: CheckEnd): CheckOutcome {
  const { name, tree, ending, log, tail } = end;
  const common = { name, tree, code: ending.code, log };
  const setup = failedSetup(ending);
  switch (ending.reason) {
    case 'exited':
      return { ...common, outcome: ending.code === 0 ? 'passed' : 'failed', tail };
    case 'timed-out':
    case 'silent':
      return { ...common, outcome: 'timed-out', tail, ...(setup && { because: setup }) };
    case 'setup-failed':
      if (setup !== null && end.purpose !== 'base' && hasPassedOnBranch(state))
        return { ...common, outcome: 'failed', tail, because: setup };
      break;
    default:
      break;
  }
  return { ...common, outcome: 'could-not-run', tail, ...(ending.because && { because: ending.because }) };
}

/** The setup that kept a check from being started. Its output is the tail of the check. */
function failedSetup({ because }: Ending): FindingOf<'setup-failed' | 'setup-limit'> | null {
  return because?.rule === 'setup-failed' || because?.rule === 'setup-limit' ? { ...because, words: '' } : null;
}

/** A check that passed was set up before. */
const hasPassedOnBranch = ({ plan, branch, checks }: Pick<RunState, 'plan' | 'branch' | 'checks'>): boolean =>
  branch !== null && plan.checks.some(({ name }) => checks[checkKey(branch.tree, name)]?.outcome === 'passed');

export const checkUnrunnable = ({ name, because, tail }: CheckOutcome): FindingOf<'check-unrunnable'> => ({
  rule: 'check-unrunnable',
  check: name,
  because: because ?? null,
  words: boundedWords(tail),
});

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
 * `outcome(n)` says what is known of the prefix of length n.
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

export const pass = (gate: Gate): Verdict => ({ gate, version: gateVersions[gate], outcome: 'pass' });
export const inconclusive = (gate: Gate, finding: Finding): Verdict => ({
  gate,
  version: gateVersions[gate],
  outcome: 'inconclusive',
  findings: [finding],
});
/** A pass without findings. */
export function failWith(gate: Gate, findings: readonly Finding[]): Verdict {
  return isNonEmpty(findings) ? { gate, version: gateVersions[gate], outcome: 'fail', findings } : pass(gate);
}
