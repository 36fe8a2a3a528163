import type { Unclear, Worse } from '../checks/standing.ts';
import type { CheckOutcome } from '../gates/evidence.ts';
import { isRatchet } from '../plan/plan.ts';
import { checkKey, type RunState } from '../run/run.ts';
import { few, plural } from './text.ts';

/** The tests or the count by which a check is worse, after a colon; empty when nothing is known of it. */
export function worseText(worse: Worse | undefined): string {
  if (worse === undefined) return '';
  if ('tests' in worse) return worse.tests.length === 0 ? '' : `: ${few(worse.tests)}`;
  return `: ${worse.count.now} problems, ${worse.count.base} on the base`;
}

/** The result in a report, in brackets; empty without one. */
export function reportText({ outcome, report }: Pick<CheckOutcome, 'outcome' | 'report'>): string {
  if (report === undefined || 'unreadable' in report)
    return outcome === 'passed' || report === undefined ? '' : ' (no report)';
  if ('tests' in report) return outcome === 'passed' ? '' : ` (${plural(report.tests.failed.length, 'test')} failed)`;
  return report.count === 0 ? '' : ` (${plural(report.count, 'problem')})`;
}

/** Checks that are red on what would land. Each note has its first line, and the tests that fail. */
export const redNotes = (
  state: Pick<RunState, 'plan' | 'branch' | 'checks'>,
): readonly (readonly [string, ...string[]])[] =>
  state.plan.checks.filter(isRatchet).flatMap(({ name }) => {
    const check = state.branch === null ? undefined : state.checks[checkKey(state.branch.tree, name)];
    if (check === undefined || check.outcome === 'passed') return [];
    const { report } = check;
    const tests = report !== undefined && 'tests' in report ? report.tests.failed : [];
    const more = tests.length > mostNamed ? [`and ${tests.length - mostNamed} more`] : [];
    return [[`the check ${name} is red${reportText(check)}`, ...tests.slice(0, mostNamed), ...more] as const];
  });

const mostNamed = 5;

/** Why a check cannot be compared with the base, as a clause. */
export function unclearText(why: Unclear): string {
  switch (why.reason) {
    case 'no-report':
      return 'it fails there too, and has no `parse`';
    case 'base-unreadable':
      return 'there is no report of the base that names its failures';
    case 'unreadable':
      return 'it has no report that names its failures';
    case 'redefined':
      return 'a task changed its definition, and it fails';
    case 'tests-gone':
      return why.tests.length === 0
        ? `${plural(why.count, 'test')} of the base did not run`
        : `${few(why.tests)} failed on the base and did not run`;
  }
}
