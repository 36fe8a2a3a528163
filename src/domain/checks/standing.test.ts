import { describe, expect, test } from 'vitest';
import { log, tree } from '../../../test/support/plans.ts';
import type { CheckOutcome } from '../gates/evidence.ts';
import { type CheckReport, testDigest } from './report.ts';
import { standingOf } from './standing.ts';

const junit = { policy: 'ratchet', parse: { as: 'junit' } } as const;
const bare = { policy: 'ratchet' } as const;

const outcome = (on: string, ended: CheckOutcome['outcome'], report?: CheckReport): CheckOutcome => ({
  name: 'test',
  tree: tree(on),
  outcome: ended,
  code: ended === 'passed' ? 0 : 1,
  log,
  tail: '',
  ...(report === undefined ? {} : { report }),
});
const tests = (failed: readonly string[], passed: readonly string[] = []): CheckReport => ({
  tests: { failed, passed: passed.map(testDigest) },
});
const count = (number: number): CheckReport => ({ count: number, at: [] });
const lost: CheckReport = { unreadable: 'absent' };
const red = (report?: CheckReport) => outcome('now', 'failed', report);
const green = (report?: CheckReport) => outcome('now', 'passed', report);
const base = (report?: CheckReport) => outcome('base', 'failed', report);
const unclear = (reason: string, more: object = {}) => ({ is: 'unclear', why: { reason, ...more } });

describe('with ratchet', () => {
  test.each<[string, CheckOutcome, CheckOutcome, object]>([
    ['the same failures are kept', red(tests(['a'], ['b'])), base(tests(['a'], ['b'])), { is: 'kept' }],
    ['a fixed test is better', red(tests(['a'], ['b'])), base(tests(['a', 'b'])), { is: 'kept' }],
    ['new tests that pass do no harm', red(tests(['a'], ['c'])), base(tests(['a'])), { is: 'kept' }],
    [
      'a test that passed and fails is worse',
      red(tests(['a', 'b'])),
      base(tests(['a'], ['b'])),
      { is: 'failed', worse: { tests: ['b'] } },
    ],
    [
      'a new test that fails is worse, also when others were fixed',
      red(tests(['c'], ['a', 'b'])),
      base(tests(['a', 'b'])),
      { is: 'failed', worse: { tests: ['c'] } },
    ],
    [
      'a failing test that is gone is not fixed',
      red(tests(['a'])),
      base(tests(['a', 'b'])),
      unclear('tests-gone', { tests: ['b'], count: 1 }),
    ],
    [
      'a failing test that is gone is not fixed by exit code 0',
      green(tests([], ['b'])),
      base(tests(['a'], ['b'])),
      unclear('tests-gone', { tests: ['a'], count: 1 }),
    ],
    [
      'a passing test that is gone matters while the check is red',
      red(tests(['a'])),
      base(tests(['a'], ['b'])),
      unclear('tests-gone', { tests: [], count: 1 }),
    ],
    ['and not when it passes', green(tests([], ['a'])), base(tests(['a'], ['b'])), { is: 'passed' }],
    ['a lost report is no better', red(lost), base(tests(['a'])), unclear('unreadable')],
    ['a lost report is no better with exit code 0', green(lost), base(tests(['a'])), unclear('unreadable')],
    ['a red check without a failure in its report', red(tests([], ['a'])), base(tests(['a'])), unclear('unreadable')],
    ['a count of 0 with exit code 1', red(count(0)), base(count(3)), unclear('unreadable')],
    ['a base without a report', red(tests(['a'])), base(lost), unclear('base-unreadable')],
    ['a base whose report names nothing', red(tests(['a'])), base(tests([])), unclear('base-unreadable')],
    ['a report of another kind', red(count(1)), base(tests(['a'])), unclear('base-unreadable')],
    ['a lower count', red(count(2)), base(count(3)), { is: 'kept' }],
    ['a higher count', red(count(4)), base(count(3)), { is: 'failed', worse: { count: { base: 3, now: 4 } } }],
    [
      'a higher count with exit code 0',
      green(count(4)),
      outcome('base', 'passed', count(3)),
      { is: 'failed', worse: { count: { base: 3, now: 4 } } },
    ],
    [
      'a red check that passed on the base',
      red(tests(['a'])),
      outcome('base', 'passed', tests([], ['a'])),
      { is: 'failed', worse: { tests: ['a'] } },
    ],
    ['a check that timed out', outcome('now', 'timed-out'), base(tests(['a'])), { is: 'failed' }],
    ['on both sides', outcome('now', 'timed-out'), outcome('base', 'timed-out'), unclear('unreadable')],
    ['a check that could not run', outcome('now', 'could-not-run'), base(tests(['a'])), { is: 'unrun' }],
    ['a base that could not run', red(tests(['a'])), outcome('base', 'could-not-run'), { is: 'unrun' }],
  ])('%s', (_name, now, before, expected) => {
    expect(standingOf(junit, now, before)).toEqual(expected);
  });

  test('the base itself is what it is', () => {
    expect(standingOf(bare, base(), base())).toEqual({ is: 'kept' });
    expect(standingOf(junit, base(lost), base(lost))).toEqual({ is: 'kept' });
  });
  test('without a report nothing can be compared, and only exit code 0 passes', () => {
    expect(standingOf(bare, red(), base())).toEqual(unclear('no-report'));
    expect(standingOf(bare, green(), base())).toEqual({ is: 'passed' });
    expect(standingOf(bare, green(), undefined)).toEqual({ is: 'passed' });
  });
  test('a check that was redefined is compared with nothing', () => {
    expect(standingOf(junit, red(tests(['a'])), base(tests(['a'])), true)).toEqual(unclear('redefined'));
    expect(standingOf(junit, green(lost), base(tests(['a'])), true)).toEqual({ is: 'passed' });
  });
});

test('without ratchet a check passes or fails by its exit code, and its report only names tests', () => {
  const check = { parse: { as: 'junit' } } as const;
  expect(standingOf(check, red(tests(['a'])), base(tests(['a'])))).toEqual({ is: 'failed', worse: { tests: ['a'] } });
  expect(standingOf(check, green(tests(['a'])), undefined)).toEqual({ is: 'passed' });
  expect(standingOf({}, red(), base())).toEqual({ is: 'failed' });
});
