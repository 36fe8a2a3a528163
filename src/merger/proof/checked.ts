import { isDeepStrictEqual } from 'node:util';
import type { TaskId, TreeId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { redefinedChecks } from '../../domain/check-definitions/definition.ts';
import { checkBarrier } from '../../domain/checks/open-checks.ts';
import { isGood, standingOf } from '../../domain/checks/standing.ts';
import type { ProofGap } from '../../domain/findings/merger-rules.ts';
import type { CheckOutcome } from '../../domain/gates/evidence.ts';
import { type Check, isRatchet } from '../../domain/plan/plan.ts';
import type { Stored } from '../../ports/ledger.ts';
import {
  candidateTop,
  eventsOf,
  type History,
  type JudgedPhase,
  judgedPhases,
  planInForce,
  type RecordedEvent,
} from './history.ts';
import { proveResolved } from './resolved.ts';

type Relied = Pick<Stored, 'position' | 'hash'>;

/** A tree that is about to be merged or landed. */
type CheckedTree = {
  readonly tree: TreeId;
  /** The tree that checks with `ratchet` are compared with. */
  readonly against: TreeId | undefined;
  /** Checks whose definition differs between the two. */
  readonly redefined?: readonly string[];
};

/** Returns the records by which a check lets a tree pass, or null. The outcomes are those of the plan in force before `until`. */
function provePassed(
  history: History,
  check: Check,
  { tree, against, redefined = [] }: CheckedTree,
  until = Infinity,
): readonly Relied[] | 'unclear' | null {
  const { since } = planInForce(history);
  const last = (on: TreeId | undefined) =>
    eventsOf(history, 'check-ended').findLast(
      ({ position, event }) =>
        position > since && position < until && event.check.name === check.name && event.check.tree === on,
    );
  const [ran, base] = [last(tree), last(against)];
  if (ran === undefined) return null;
  const standing = standingOf(check, ran.event.check, base?.event.check, redefined.includes(check.name));
  if (isGood(standing)) return base === undefined || !isRatchet(check) ? [ran] : [ran, base];
  return standing.is === 'unclear' || (isRatchet(check) && against === undefined) ? 'unclear' : null;
}

/**
 * Checks of the plan in force that do not let this tree pass. One that cannot be compared passes when a person resolved it for this
 * tree, or when `isRequested`: a person asked for exactly this move.
 */
export function uncheckedOn(history: History, at: CheckedTree, isRequested = false): readonly string[] {
  const { plan } = planInForce(history);
  return plan.checks
    .filter((check) => {
      const passed = provePassed(history, check, at);
      if (passed !== 'unclear') return passed === null;
      const end = (history.at(-1)?.position ?? 0) + 1;
      return !isRequested && !plan.waves.some((_, wave) => isResolved(history, check, at.tree, { wave, end }));
    })
    .map(({ name }) => name);
}

const isResolved = (
  history: History,
  { name }: Check,
  tree: TreeId,
  { wave, end }: { readonly wave: number; readonly end: number },
): boolean => proveResolved(history, { position: end, event: { wave } }, checkBarrier(name), tree) !== null;

/**
 * Every check lets each of these trees pass, by the closure's evidence and by a record before it. A check with `ratchet` is compared with
 * its outcome on the commit that the round is built on. Gives the records, or the gap.
 */
export function proveChecks(
  history: History,
  closure: RecordedEvent<JudgedPhase<'closure'>>,
  of: { readonly opened: number; readonly tasks: readonly TaskId[]; readonly top: TreeId; readonly before?: TreeId },
): Result<readonly Relied[], ProofGap> {
  const { plan } = planInForce(history);
  const { checks, before, baseline } = closure.event.evidence;
  const against = standsOn(history, of.opened);
  if (baseline !== undefined && baseline.tree !== against) return err({ gap: 'closure-tree' });
  const redefined = redefinedBy(history, of.tasks);
  const trees: readonly CheckedTree[] = [
    { tree: of.top, against, redefined },
    ...(of.before === undefined ? [] : [{ tree: of.before, against }]),
  ];
  const relied: Relied[] = [];
  for (const at of trees)
    for (const check of plan.checks) {
      const { name } = check;
      const claimed = [...checks, ...(before?.checks ?? [])].find((one) => one.name === name && one.tree === at.tree);
      if (claimed === undefined) return err({ gap: 'check-failed', check: name });
      if (!isRecorded(history, closure.position, claimed)) return err({ gap: 'check-unrecorded', check: name });
      const passed = provePassed(history, check, at, closure.position);
      const proven = passed === 'unclear' ? proveResolved(history, closure, checkBarrier(name), at.tree) : passed;
      if (proven === null) return err({ gap: 'check-failed', check: name });
      relied.push(...proven);
    }
  return ok(relied);
}

/** The outcome in the evidence is the last one that was recorded under the plan in force. */
function isRecorded(history: History, until: number, claimed: CheckOutcome): boolean {
  const { since } = planInForce(history);
  const ran = eventsOf(history, 'check-ended').findLast(
    ({ position, event: { check } }) =>
      position > since && position < until && check.name === claimed.name && check.tree === claimed.tree,
  );
  const { outcome, report } = ran?.event.check ?? {};
  return outcome === claimed.outcome && isDeepStrictEqual(report, claimed.report);
}

/** The tree of the run branch when a round was opened. */
function standsOn(history: History, opened: number): TreeId | undefined {
  const before = history.filter(({ position }) => position < opened);
  const merged = eventsOf(before, 'merged').at(-1)?.event;
  if (merged !== undefined) return candidateTop(before, merged)?.tree;
  return eventsOf(before, 'run-branch-made').at(-1)?.event.tree;
}

/** Checks whose definition the judged snapshots of these tasks change. */
export const redefinedBy = (history: History, tasks: readonly TaskId[]): readonly string[] =>
  redefinedChecks(
    planInForce(history).plan,
    tasks.flatMap(
      (task) =>
        judgedPhases(history, 'monitor').findLast(({ event }) => event.task === task)?.event.evidence.snapshot?.diff ??
        [],
    ),
  );

/** Checks with `ratchet` that are red on this tree. */
export function redOn(history: History, tree: TreeId | undefined): readonly string[] {
  const { plan, since } = planInForce(history);
  return plan.checks.filter(isRatchet).flatMap(({ name }) => {
    const ran = eventsOf(history, 'check-ended').findLast(
      ({ position, event }) => position > since && event.check.name === name && event.check.tree === tree,
    );
    return ran === undefined || ran.event.check.outcome === 'passed' ? [] : [name];
  });
}
