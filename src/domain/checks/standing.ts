import type { CheckBaseline, CheckOutcome } from '../gates/evidence.ts';
import { type Check, isRatchet } from '../plan/plan.ts';
import { type CheckReport, testDigest } from './report.ts';

/**
 * The meaning of an outcome under the policy of its check.
 *   passed   it exited with 0, and with `ratchet` reports nothing worse than the base
 *   kept     it fails as it did on the base, and no worse (`ratchet`)
 *   failed   it fails, or is worse than the base; `tests` and `count` say by what
 *   unclear  it cannot be compared, so only a person lets it pass (`ratchet`)
 *   unrun    it has not run, or could not
 */
export type Standing =
  | { readonly is: 'passed' | 'kept' | 'unrun' }
  | { readonly is: 'failed'; readonly worse?: Worse }
  | { readonly is: 'unclear'; readonly why: Unclear };

/** `tests`: those that fail and did not fail on the base. `count`: the problems on the base and now. */
export type Worse =
  | { readonly tests: readonly string[] }
  | { readonly count: { readonly base: number; readonly now: number } };

/**
 * Why a red check cannot be compared with its outcome on the base.
 *   no-report           the check has no `parse`
 *   base-unreadable     there is no report of the base that can be read, or it names no failure
 *   unreadable          the same for this tree
 *   tests-gone          a test that the base has is not among those that ran; `tests` names those that failed there
 *   redefined           a task changed what the check is, so the outcome on the base was another check's
 */
export type Unclear =
  | { readonly reason: 'no-report' | 'base-unreadable' | 'unreadable' | 'redefined' }
  | { readonly reason: 'tests-gone'; readonly tests: readonly string[]; readonly count: number };

/** True when the outcome lets a candidate be merged without a person. */
export const isGood = ({ is }: Standing): boolean => is === 'passed' || is === 'kept';

/**
 * Judges the outcome of a check. `base` is its outcome on the tree that it is compared with, which `ratchet` needs. `isRedefined`: the
 * definition of the check was changed in between, so its exit code alone decides.
 */
export function standingOf(
  check: Pick<Check, 'policy' | 'parse'>,
  outcome: CheckOutcome | undefined,
  base: CheckOutcome | undefined,
  isRedefined = false,
): Standing {
  if (outcome === undefined || outcome.outcome === 'could-not-run') return { is: 'unrun' };
  const hasPassed = outcome.outcome === 'passed';
  if (!isRatchet(check)) return hasPassed ? { is: 'passed' } : failedAlone(outcome);
  if (outcome.tree === base?.tree) return { is: hasPassed ? 'passed' : 'kept' };
  if (isRedefined) return hasPassed ? { is: 'passed' } : unclear('redefined');
  if (hasPassed && check.parse === undefined) return { is: 'passed' };
  if (base === undefined || base.outcome === 'could-not-run') return { is: 'unrun' };
  return hasPassed ? whenPassed(outcome, base) : whenRed(outcome, base);
}

/** The same over recorded evidence. */
export const standingIn = (
  check: Check,
  outcome: CheckOutcome | undefined,
  baseline: CheckBaseline | undefined,
): Standing =>
  standingOf(
    check,
    outcome,
    baseline?.checks.find(({ name, tree }) => name === check.name && tree === baseline.tree),
    baseline?.redefined?.includes(check.name) === true,
  );

/** Every test that fails is worse than none. */
function failedAlone({ report }: CheckOutcome): Standing {
  const tests = report !== undefined && 'tests' in report ? report.tests.failed : [];
  return tests.length === 0 ? { is: 'failed' } : { is: 'failed', worse: { tests } };
}

/** A check that exits with 0 can still count more problems than before, or have lost the tests that failed. */
function whenPassed({ report }: CheckOutcome, base: CheckOutcome): Standing {
  const before = failures(base.report);
  const now = failures(report);
  if (before === null || before.size === 0) return { is: 'passed' };
  return now === null ? unclear('unreadable') : (comparison(now, before) ?? { is: 'passed' });
}

function whenRed(outcome: CheckOutcome, base: CheckOutcome): Standing {
  // a check that ended well on the base, or ended at all, is worse now
  if (base.outcome === 'passed' || outcome.because !== undefined) return failedAlone(outcome);
  if (outcome.outcome === 'timed-out') return base.outcome === 'timed-out' ? unclear('unreadable') : { is: 'failed' };
  if (outcome.report === undefined) return unclear('no-report');
  const before = failures(base.report);
  const now = failures(outcome.report);
  // a red check whose report names no failure was red for another reason
  if (before === null || before.size === 0 || base.outcome === 'timed-out') return unclear('base-unreadable');
  if (now === null || now.size === 0) return unclear('unreadable');
  return comparison(now, before) ?? { is: 'kept' };
}

const unclear = (reason: Exclude<Unclear['reason'], 'tests-gone'>): Standing => ({ is: 'unclear', why: { reason } });

type Failures = { readonly size: number; readonly report: Exclude<CheckReport, { unreadable: unknown }> };

/** Null for a report that cannot be read. */
function failures(report: CheckReport | undefined): Failures | null {
  if (report === undefined || 'unreadable' in report) return null;
  return { report, size: 'tests' in report ? report.tests.failed.length : report.count };
}

/** Null when this is no worse than before, and nothing is missing. */
function comparison({ report: now }: Failures, { report: before }: Failures): Standing | null {
  if ('count' in now && 'count' in before)
    return now.count > before.count ? { is: 'failed', worse: { count: { base: before.count, now: now.count } } } : null;
  if (!('tests' in now && 'tests' in before)) return unclear('base-unreadable');
  const known = new Set(before.tests.failed);
  const tests = now.tests.failed.filter((name) => !known.has(name));
  return tests.length > 0 ? { is: 'failed', worse: { tests } } : goneTests(now.tests, before.tests);
}

type Tests = Extract<CheckReport, { tests: unknown }>['tests'];

/**
 * A test that failed on the base has to pass or fail here: deleting, renaming or skipping it fixes nothing. While the check is red, the
 * same holds for tests that passed: a run that was cut short says nothing of them.
 */
function goneTests(now: Tests, before: Tests): Standing | null {
  const passed = new Set(now.passed);
  const failed = new Set(now.failed);
  const tests = before.failed.filter((name) => !failed.has(name) && !passed.has(testDigest(name)));
  const failing = new Set(now.failed.map(testDigest));
  const lost = now.failed.length === 0 ? [] : before.passed.filter((one) => !passed.has(one) && !failing.has(one));
  const count = tests.length + lost.length;
  return count === 0 ? null : { is: 'unclear', why: { reason: 'tests-gone', tests, count } };
}
