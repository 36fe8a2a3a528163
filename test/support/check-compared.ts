import { hash } from 'node:crypto';
import type { Check } from '../../src/domain/plan/plan.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import { all } from './events-found.ts';
import { versionAt } from './plan-versions.ts';

/** `against`: the tree that a check with `ratchet` is compared with. `tasks`: what they changed may have redefined the check. */
type Trial = {
  readonly check: Check;
  readonly tree: string | undefined;
  readonly against: string | undefined;
  readonly tasks?: readonly string[];
  /** A person asked for exactly this. */
  readonly isRequested?: boolean;
};

/**
 * Says whether a check lets a tree be merged or landed, by the records before `seq`: it passed; or, with `ratchet`, it is no worse than
 * on the other tree; or a person decided.
 */
export function letsPass(history: readonly Stored[], seq: number, trial: Trial): boolean {
  const { check, tree, against, tasks = [], isRequested = false } = trial;
  const { since } = versionAt(history, seq);
  const last = (on: string | undefined) =>
    all(history, 'check-ended').findLast(
      (one) => one.seq > since && one.seq < seq && one.event.check.name === check.name && one.event.check.tree === on,
    )?.event.check;
  const [now, base] = [last(tree), last(against)];
  const isOver = now?.outcome === 'passed' || now?.outcome === 'failed' || now?.outcome === 'timed-out';
  if (now === undefined || !isOver) return false;
  if (check.policy !== 'ratchet') return now.outcome === 'passed';
  if (tree === against) return true;
  const isDecided = isRequested || isResolved(history, seq, check.name, tree);
  if (touches(history, seq, check, tasks)) return now.outcome === 'passed' || isDecided;
  if (now.outcome === 'passed' && (check.parse === undefined || !has(base?.report))) return true;
  if (base === undefined) return isDecided && against === undefined;
  if (now.outcome !== 'passed' && (base.outcome === 'passed' || now.because !== undefined)) return false;
  if (now.outcome === 'timed-out' && base.outcome !== 'timed-out') return false;
  if (!has(base.report) || base.outcome === 'timed-out') return isDecided;
  if (now.outcome !== 'passed' && !has(now.report)) return isDecided;
  const order = compared(now.report, base.report);
  return order === 'no worse' || (order === 'unknown' && isDecided);
}

type Report = NonNullable<ReturnType<typeof reportOf>>;
const reportOf = ({ event }: { readonly event: { readonly check: { readonly report?: unknown } } }) =>
  event.check.report as
    | {
        readonly tests?: { readonly failed: readonly string[]; readonly passed: readonly string[] };
        readonly count?: number;
      }
    | undefined;

/** The report can be read and names a failure. */
const has = (report: object | undefined): boolean => {
  const { tests, count } = (report ?? {}) as Report;
  return (tests?.failed.length ?? 0) > 0 || (count ?? 0) > 0;
};

function compared(after: object | undefined, before: object | undefined): 'no worse' | 'worse' | 'unknown' {
  const [now, base] = [after as Report | undefined, before as Report | undefined];
  if (now?.count !== undefined && base?.count !== undefined) return now.count > base.count ? 'worse' : 'no worse';
  if (now?.tests === undefined || base?.tests === undefined) return 'unknown';
  if (now.tests.failed.some((name) => base.tests?.failed.includes(name) !== true)) return 'worse';
  const ran = new Set([...now.tests.passed, ...now.tests.failed.map(digestOf)]);
  const wanted = [...base.tests.failed.map(digestOf), ...(now.tests.failed.length > 0 ? base.tests.passed : [])];
  return wanted.every((one) => ran.has(one)) ? 'no worse' : 'unknown';
}

const digestOf = (name: string): string => hash('sha256', name, 'base64url').slice(0, 12);

const isResolved = (history: readonly Stored[], seq: number, name: string, tree: string | undefined): boolean =>
  all(history, 'barrier-resolved').some(
    (one) =>
      one.seq < seq &&
      one.event.tree === tree &&
      one.event.barrier === `check-${name.replaceAll(' ', '+')}` &&
      ['terminal', 'command', 'api'].includes(one.event.by.via) &&
      all(history, 'requested-resolve').some(
        (asked) => asked.seq < one.seq && asked.event.barrier === one.event.barrier,
      ),
  );

/** One of the tasks changed a file that the plan names as a definition of the check. */
const touches = (history: readonly Stored[], seq: number, check: Check, tasks: readonly string[]): boolean =>
  all(history, 'phase-judged').some(
    (one) =>
      one.seq < seq &&
      one.event.phase === 'monitor' &&
      tasks.includes(one.event.task) &&
      (one.event.evidence.snapshot?.diff ?? []).some(({ path }) =>
        (check.definitions ?? []).some((definition) => definition.path === path),
      ),
  );

/** The tree of the run branch before this event. */
export function branchBefore(history: readonly Stored[], seq: number): string | undefined {
  const before = history.filter((one) => one.seq < seq);
  const merged = all(before, 'merged').at(-1)?.event;
  if (merged === undefined) return all(before, 'run-branch-made').at(-1)?.event.tree;
  const closed = all(before, 'phase-judged').findLast(
    ({ event }) => event.phase === 'closure' && event.evidence.candidate === merged.new,
  )?.event;
  return closed?.phase === 'closure' ? closed.evidence.tree : undefined;
}

/** Nobody but a person moves their branch to a tree on which a check is red. */
export function landsUnasked(history: readonly Stored[], seq: number, tree: string | undefined): boolean {
  const { plan, since } = versionAt(history, seq);
  const isRed = plan.checks.some(
    ({ name, policy }) =>
      policy === 'ratchet' &&
      (all(history, 'check-ended').findLast(
        (one) => one.seq > since && one.seq < seq && one.event.check.name === name && one.event.check.tree === tree,
      )?.event.check.outcome ?? 'passed') !== 'passed',
  );
  const yes = all(history, 'tap-decided').findLast(
    (one) => one.seq > since && one.seq < seq && one.event.tap === 'land',
  );
  return isRed && yes?.event.decision !== 'approved';
}
