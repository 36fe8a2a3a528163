import { isDeepStrictEqual } from 'node:util';
import type { TaskId, TreeId } from '../../domain/base/ids.ts';
import { docsFindings, docsQueue } from '../../domain/closure/docs-queue.ts';
import { landingRoles, unjudgedPaths } from '../../domain/closure/landing-reports.ts';
import { judgeReport } from '../../domain/closure/report.ts';
import { judgesWholeTree } from '../../domain/closure/roles.ts';
import type { ProofGap } from '../../domain/findings/merger-rules.ts';
import type { ReportEvidence } from '../../domain/gates/evidence.ts';
import { passes } from '../../domain/gates/verdict.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { closureOf, type PlannedTask, plannedById } from '../../domain/plan/plan.ts';
import type { Stored } from '../../ports/ledger.ts';
import {
  eventsOf,
  type History,
  isVoidedBy,
  type JudgedPhase,
  judgedPhases,
  planInForce,
  type RecordedEvent,
} from './history.ts';
import { proveResolved } from './resolved.ts';

type Relied = Pick<Stored, 'position' | 'hash'>;
type Closure = RecordedEvent<JudgedPhase<'closure'>>;
/** The trees that reports have to be about: the candidate with and without what roles added. */
type Trees = { readonly core: TreeId; readonly whole: TreeId };

/**
 * Proves that every closure role of the wave reported on exactly this tree through an attempt of its own, with a word on which the
 * wave may close, or that a person resolved it for this tree. Returns the records relied on, or the first gap.
 */
export function proveRoles(history: History, closure: Closure, trees: Trees): readonly Relied[] | ProofGap {
  const relied: Relied[] = [];
  for (const role of closureOf(planInForce(history).plan, closure.event.wave)) {
    if (role.closes === undefined) return { gap: 'role-unplanned', task: role.id };
    const tree = judgesWholeTree(role.closes) ? trees.whole : trees.core;
    const proven = proveResolved(history, closure, role.id, tree) ?? proveReport(history, closure, role, tree);
    if ('gap' in proven) return proven;
    relied.push(...proven);
  }
  return relied;
}

function proveReport(
  history: History,
  closure: Closure,
  role: PlannedTask,
  tree: TreeId,
): readonly Relied[] | ProofGap {
  const { id: task, closes } = role;
  const claimed = closure.event.evidence.closure?.reports.find((report) => report.task === task);
  if (claimed === undefined || claimed.tree !== tree) return { gap: 'role-unreported', task };
  if (closes === undefined || judgeReport(role, claimed.report).length > 0) return { gap: 'role-open', task };
  if (docsFindings(role, claimed.report, docsQueueIn(history, closure)).length > 0) return { gap: 'role-open', task };
  const monitor = judgedPhases(history, 'monitor').findLast(({ event }) => event.task === task);
  if (monitor === undefined || !passes(monitor.event.verdicts)) return { gap: 'role-unjudged', task };
  if (monitor.position > closure.position) return { gap: 'role-unjudged', task };
  return proveAttempt(history, claimed, monitor);
}

/** The attempt was started for this tree, and the report is its handoff. Nothing has voided it since. */
function proveAttempt(
  history: History,
  { task, attempt, tree, report }: ReportEvidence,
  monitor: RecordedEvent<JudgedPhase<'monitor'>>,
): readonly Relied[] | ProofGap {
  const { evidence } = monitor.event;
  const { handoff } = evidence;
  if (evidence.attempt !== attempt) return { gap: 'role-other-attempt', task };
  if (handoff.kind !== 'given' || !isDeepStrictEqual(handoff.handoff.report, report))
    return { gap: 'role-other-report', task };
  const intended = eventsOf(history, 'attempt-intended').findLast(({ event }) => event.task === task);
  const opened = eventsOf(history, 'role-opened').findLast(({ event }) => event.task === task);
  const ended = eventsOf(history, 'attempt-ended').findLast(({ event }) => event.attempt === attempt);
  if (intended?.event.attempt !== attempt || opened === undefined || ended === undefined)
    return { gap: 'role-other-attempt', task };
  if (opened.position > intended.position || intended.event.base !== opened.event.commit || opened.event.tree !== tree)
    return { gap: 'role-other-tree', task };
  if (!isDeepStrictEqual(ended.event.handoff, handoff) || handoff.handoff.nonce !== intended.event.nonce)
    return { gap: 'role-other-report', task };
  const dispatched = judgedPhases(history, 'dispatch').findLast(({ event }) => event.evidence.attempt === attempt);
  if (dispatched === undefined || !passes(dispatched.event.verdicts)) return { gap: 'role-unjudged', task };
  const voided = history.some(({ position, event }) => position > monitor.position && isVoidedBy(task, event));
  return voided ? { gap: 'role-unjudged', task } : [opened, intended, dispatched, ended, monitor];
}

/** The tree of the last merged candidate that closure roles reported on. Undefined without reports. */
export const reportedTree = (history: History): TreeId | undefined =>
  judgedPhases(history, 'closure').findLast(
    ({ event: { verdicts, evidence } }) => passes(verdicts) && (evidence.closure?.reports ?? []).length > 0,
  )?.event.evidence.tree;

/**
 * The paths that no report is about any more, when these tasks land beside what others changed. `changed` are the paths of all commits
 * that land, `left` those of merged commits that do not.
 */
export function unjudgedWork(
  history: History,
  work: {
    readonly others: readonly string[];
    readonly changed: readonly string[];
    readonly left: readonly string[];
    readonly tasks: readonly TaskId[];
  },
): readonly string[] {
  const { plan } = planInForce(history);
  const { others, changed, left } = work;
  const reads = work.tasks.flatMap((task) => plannedById(plan, task)?.reads ?? []);
  return unjudgedPaths([...new Set([...others, ...left])], { changed: [...changed, ...left], reads });
}

/**
 * Proves that the roles that have to judge a landing on a moved branch did, or that a person resolved them for its tree. Returns the
 * first gap; null when there is none.
 */
export function landingGap(history: History, rebuilt: Extract<RunEvent, { type: 'landing-rebuilt' }>): TaskId | null {
  const { plan } = planInForce(history);
  const waves = plan.waves.map((_, index) => ({
    index,
    closed: eventsOf(history, 'wave-closed').some(({ event }) => event.wave === index),
  }));
  for (const { role, wave } of landingRoles(plan, waves, rebuilt)) {
    const at = { position: Number.POSITIVE_INFINITY, event: { wave } };
    if (proveResolved(history, at, role.id, rebuilt.tree) !== null) continue;
    const monitor = judgedPhases(history, 'monitor').findLast(({ event }) => event.task === role.id);
    const handoff = monitor?.event.evidence.handoff;
    const report = handoff?.kind === 'given' ? handoff.handoff.report : undefined;
    if (monitor === undefined || report === undefined || !passes(monitor.event.verdicts)) return role.id;
    // its changes are not in the tree that lands
    if (monitor.event.evidence.snapshot?.diff.length !== 0) return role.id;
    if (role.closes === undefined || judgeReport(role, report).length > 0) return role.id;
    const { attempt } = monitor.event.evidence;
    if ('gap' in proveAttempt(history, { task: role.id, attempt, tree: rebuilt.tree, report }, monitor)) return role.id;
  }
  return null;
}

/** The docs queue of the round, from what the gates judged of its tasks. */
const docsQueueIn = (history: History, { event: { evidence } }: Closure): readonly string[] =>
  docsQueue(
    planInForce(history).plan,
    evidence.tasks.flatMap(({ task, snapshot }) => {
      const judged = judgedPhases(history, 'monitor').findLast(
        ({ event }) => event.task === task && event.evidence.snapshot?.commit === snapshot,
      )?.event.evidence;
      return judged?.snapshot ? [{ task, handoff: judged.handoff, diff: judged.snapshot.diff }] : [];
    }),
  );
