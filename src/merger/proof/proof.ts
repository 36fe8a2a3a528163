import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CommitId, TaskId, TreeId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { proofGapText } from '../../domain/explain/sentences/merger-sentences.ts';
import type { ProofGap } from '../../domain/findings/merger-rules.ts';
import type { Judgement } from '../../domain/gates/judge.ts';
import { passes } from '../../domain/gates/verdict.ts';
import type { EarlierDefinitions } from '../../domain/landing/earlier-definitions.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { canonicalJson, closureOf, isReadOnly } from '../../domain/plan/plan.ts';
import type { Stored } from '../../ports/ledger.ts';
import { proveBundles, proveComponents, provePromoted } from './components.ts';
import { proveExit } from './exits.ts';
import {
  eventsOf,
  type History,
  isMerged,
  isVoidedBy,
  type JudgedPhase,
  judgedPhases,
  lastSnapshot,
  planInForce,
  planned,
  proveAcceptance,
  proveChecks,
  type RecordedEvent,
  runTip,
  waveInHistory,
} from './history.ts';
import { proveRoles } from './roles.ts';

/**
 * Verifies that the ledger proves that this round may be merged: every phase passed, in order, for one plan hash, on exactly the
 * snapshots and the tree that are about to move the run branch. Written apart from the code that made those events, so that a
 * mistake there does not vouch for itself. Returns a digest over the records relied on, or the first gap.
 */
export function verifyChain(history: History, wave: number, round: number): Result<string, ProofGap> {
  const relied = new Map<number, string>();
  const rely = (stored: Pick<Stored, 'position' | 'hash'>) => relied.set(stored.position, stored.hash);
  try {
    verifyRound(history, wave, round, rely);
  } catch (error) {
    if (error instanceof Gap) return err(error.gap);
    throw error;
  }
  const hashes = [...relied].sort(([a], [b]) => a - b).map(([, hash]) => hash);
  return ok(createHash('sha256').update(hashes.join('\n')).digest('hex'));
}

/** The one place where the chain breaks. Thrown and caught in this file only, so that each rule stays one line. */
class Gap extends Error {
  readonly gap: ProofGap;
  constructor(gap: ProofGap) {
    super(proofGapText(gap));
    this.gap = gap;
  }
}
function must(holds: boolean, gap: ProofGap): asserts holds {
  if (!holds) throw new Gap(gap);
}
function found<T>(value: T | null | undefined, gap: ProofGap): T {
  must(value !== null && value !== undefined, gap);
  return value;
}

type Rely = (stored: Pick<Stored, 'position' | 'hash'>) => void;

function verifyRound(history: History, wave: number, round: number, rely: Rely): void {
  const { plan, hash, since } = planInForce(history);
  must(eventsOf(history, 'run-created').length === 1, { gap: 'created-twice' });
  must(createHash('sha256').update(canonicalJson(plan)).digest('hex') === hash, { gap: 'plan-hash' });
  rely(found(history[0], { gap: 'empty-ledger' }));
  if (since > 0) rely(found(history[since - 1], { gap: 'plan-replaced-by-nothing' }));

  const approved = verifyWave(history, wave, rely);
  const isThis = (event: { wave: number; round: number }) => event.wave === wave && event.round === round;
  const opened = only(history, 'round-opened', isThis);
  const built = only(history, 'candidate-built', isThis);
  must(opened.position > since, { gap: 'round-plan' });
  rely(opened);
  rely(built);
  must(!eventsOf(history, 'round-abandoned').some(({ event }) => isThis(event)), {
    gap: 'round-abandoned',
    wave,
    round,
  });
  const tip = runTip(history.filter(({ position }) => position < opened.position));
  must(opened.event.base === tip, { gap: 'round-base', expected: tip ?? null, actual: opened.event.base });
  must(built.position > opened.position && built.event.base === opened.event.base, { gap: 'candidate-round' });

  const { steps } = built.event;
  const last = found(steps.at(-1), { gap: 'candidate-empty' });
  must(new Set(steps.map((step) => step.task)).size === steps.length, { gap: 'candidate-repeats' });
  for (const step of steps) {
    must(waveInHistory(plan, step.task) === wave, { gap: 'task-wave', task: step.task, wave });
    const entry = found(
      opened.event.tasks.find(({ task }) => task === step.task),
      { gap: 'task-not-in-round', task: step.task },
    );
    verifyTask(history, entry, { approved, opened: opened.position, rely });
  }
  const completed = verifyGenerated(history, { last, built: built.position, isThis }, rely);
  const { before = built.event.before } = completed;
  const promoted = provePromoted(history, { ...completed, wave, round });
  if ('gap' in promoted) throw new Gap(promoted);
  promoted.relied.forEach(rely);
  const { top, position } = verifyExtended(history, { ...promoted, wave, isThis }, rely);
  const core = promoted.top.tree;
  verifyClosure(
    history,
    { wave, round, base: opened.event.base, top, core, before, tasks: opened.event.tasks, built: position, steps },
    rely,
  );
}

type Top = { readonly commit: CommitId; readonly tree: TreeId };

/** The commit that would become the run branch: the last step, or with generated files what their commands completed. */
function verifyGenerated(
  history: History,
  of: {
    readonly last: Top;
    readonly built: number;
    readonly isThis: (event: { wave: number; round: number }) => boolean;
  },
  rely: Rely,
): { readonly top: Top; readonly position: number; readonly before?: EarlierDefinitions | undefined } {
  const generated = Object.keys(planInForce(history).plan.generated);
  if (generated.length === 0) {
    const stray = eventsOf(history, 'candidate-completed').some(({ event }) => of.isThis(event));
    must(!stray, { gap: 'generated-unplanned' });
    return { top: of.last, position: of.built };
  }
  const ended = only(history, 'generator-ended', of.isThis);
  const completed = only(history, 'candidate-completed', of.isThis);
  const { ending } = ended.event;
  const snapshot = found(ended.event.snapshot, { gap: 'generated-unsnapshotted' });
  must(ending.reason === 'exited' && ending.code === 0, { gap: 'generated-failed' });
  must(snapshot.base === of.last.commit, { gap: 'generated-base' });
  const unsafe = [...snapshot.refused, ...snapshot.secrets].find(({ where }) => generated.includes(where ?? ''));
  must(unsafe === undefined, { gap: 'generated-unsafe', path: unsafe?.where ?? '', refused: unsafe?.rule ?? '' });
  const special = snapshot.diff.find(
    ({ path, newMode }) => generated.includes(path) && !['000000', '100644', '100755'].includes(newMode),
  );
  must(special === undefined, { gap: 'generated-special', path: special?.path ?? '' });
  must(of.built < ended.position && ended.position < completed.position, { gap: 'generated-order' });
  const { commit, tree, before } = completed.event;
  must((commit === of.last.commit) === (tree === of.last.tree), { gap: 'generated-empty-commit' });
  rely(ended);
  rely(completed);
  return { top: { commit, tree }, position: completed.position, before };
}

/** The commits of closure roles, each of a role of this wave that may change files, after what they stand on. */
function verifyExtended(
  history: History,
  of: {
    readonly top: Top;
    readonly position: number;
    readonly wave: number;
    readonly isThis: (event: { wave: number; round: number }) => boolean;
  },
  rely: Rely,
): { readonly top: Top; readonly position: number } {
  const roles = closureOf(planInForce(history).plan, of.wave);
  let { top, position } = of;
  for (const extended of eventsOf(history, 'candidate-extended').filter(({ event }) => of.isThis(event))) {
    const { task, snapshot, commit, tree } = extended.event;
    const role = roles.find(({ id }) => id === task);
    must(role !== undefined && !isReadOnly(role), { gap: 'role-unplanned', task });
    const proof = judgedPhases(history, 'monitor').findLast(
      ({ event, position: at }) => event.task === task && at < extended.position,
    );
    const isProven = proof?.event.evidence.snapshot?.commit === snapshot && passes(proof.event.verdicts);
    must(isProven && extended.position > position, { gap: 'role-unjudged', task });
    rely(proof);
    rely(extended);
    top = { commit, tree };
    ({ position } = extended);
  }
  return { top, position };
}

/**
 * Contract to approval, each after the one before, none overruled later. The first two are of the run and its repository;
 * the rest is of this version of the plan. Gives the position of the approval.
 */
function verifyWave(history: History, wave: number, rely: Rely): number {
  const { plan, hash, since } = planInForce(history);
  let after = 0;
  for (const phase of ['contract', 'load'] as const) after = verifyPhase(history, { phase, wave, after }, rely);
  after = Math.max(after, since);
  for (const phase of ['thread', 'preflight', 'ownership'] as const)
    after = verifyPhase(history, { phase, wave, after }, rely);

  const tap = plan.taps.start === 'run' ? 'start' : `start-${wave}`;
  const decided = eventsOf(history, 'tap-decided').findLast(
    ({ position, event }) => position > since && event.tap === tap,
  );
  must(decided?.event.decision === 'approved', { gap: 'wave-unapproved', wave });
  must(decided.event.hash === hash, { gap: 'approved-plan' });
  rely(decided);
  const approvals = judgedPhases(history, 'approval').filter(
    ({ position, event }) => position > since && event.wave === wave,
  );
  for (const { event } of approvals)
    must(event.evidence.hash === hash || !passes(event.verdicts), { gap: 'approval-judged-plan' });
  const last = found(approvals.at(-1), { gap: 'approval-unjudged', wave });
  must(last.event.evidence.decision === 'approved', { gap: 'approval-refused', wave });
  return verifyPhase(history, { phase: 'approval', wave, after }, rely);
}

type WavePhase = Exclude<Judgement['phase'], 'dispatch' | 'monitor' | 'closure' | 'merge'>;

/** A first pass after `after`, and no later verdict against it: what was overruled proves nothing. */
function verifyPhase(
  history: History,
  { phase, wave, after }: { readonly phase: WavePhase; readonly wave: number; readonly after: number },
  rely: Rely,
): number {
  const judgements = judgedPhases(history, phase).filter(({ event }) => !('wave' in event) || event.wave === wave);
  const last = found(judgements.at(-1), { gap: 'phase-unjudged', phase });
  must(passes(last.event.verdicts), { gap: 'phase-failed', phase });
  const first = found(
    judgements.find(({ position, event }) => position > after && passes(event.verdicts)),
    { gap: 'phase-order', phase },
  );
  rely(first);
  rely(last);
  return first.position;
}

/** One task: base, attempt, dispatch, end, snapshot, verdict; each of the same attempt and in this order. */
function verifyTask(
  history: History,
  entry: { readonly task: TaskId; readonly snapshot: CommitId },
  at: { readonly approved: number; readonly opened: number; readonly rely: Rely },
): void {
  const { task } = entry;
  const { plan } = planInForce(history);
  const ofTask = (event: { task: TaskId }) => event.task === task;
  must(!isReadOnly(found(planned(plan, task), { gap: 'task-unplanned', task })), { gap: 'task-read-only', task });
  must(
    !isMerged(
      history.filter(({ position }) => position < at.opened),
      task,
    ),
    { gap: 'task-merged', task },
  );

  const monitor = found(
    judgedPhases(history, 'monitor').findLast(({ event }) => ofTask(event)),
    { gap: 'task-unjudged', task },
  );
  must(passes(monitor.event.verdicts), { gap: 'task-failed', task });
  must(monitor.position < at.opened, { gap: 'task-judged-late', task });
  const { evidence } = monitor.event;
  const snapshot = found(evidence.snapshot, { gap: 'task-unsnapshotted', task });
  must(snapshot.commit === entry.snapshot, {
    gap: 'task-snapshot',
    task,
    expected: entry.snapshot,
    actual: snapshot.commit,
  });

  const attempt = found(
    eventsOf(history, 'attempt-intended').findLast(({ event }) => ofTask(event)),
    { gap: 'task-unstarted', task },
  );
  must(attempt.event.attempt === evidence.attempt, { gap: 'task-other-attempt', task });
  const approved = approvalOf(history, { task, attempt: attempt.position, approved: at.approved }, at.rely);
  must(attempt.position > approved, { gap: 'task-started-early', task });
  const base = found(
    eventsOf(history, 'task-base-made').findLast(({ position, event }) => ofTask(event) && position < attempt.position),
    { gap: 'task-baseless', task },
  );
  must(attempt.event.base === base.event.commit, { gap: 'task-other-base', task });
  must(snapshot.base === base.event.commit, { gap: 'task-snapshot-base', task });

  const dispatch = found(
    judgedPhases(history, 'dispatch').findLast(
      ({ event }) => ofTask(event) && event.evidence.attempt === evidence.attempt,
    ),
    { gap: 'dispatch-unjudged', attempt: evidence.attempt },
  );
  must(passes(dispatch.event.verdicts), { gap: 'dispatch-failed', attempt: evidence.attempt });
  const { base: expected, workspaceBase } = dispatch.event.evidence;
  must(workspaceBase === expected && [attempt.event.base, attempt.event.from].includes(expected), {
    gap: 'dispatch-workspace',
    attempt: evidence.attempt,
  });

  const ended = found(
    eventsOf(history, 'attempt-ended').findLast(({ event }) => event.attempt === evidence.attempt),
    { gap: 'attempt-open', attempt: evidence.attempt },
  );
  must(
    attempt.position < dispatch.position && dispatch.position < monitor.position && ended.position < monitor.position,
    { gap: 'task-judged-early', task },
  );
  verifyEnding(history, monitor, ended, { nonce: attempt.event.nonce, rely: at.rely });
  const exit = proveExit(history, monitor);
  if (typeof exit === 'string') throw new Gap({ gap: exit, task });
  exit.forEach(at.rely);
  const voided = history.find(({ position, event }) => position > monitor.position && isVoidedBy(task, event));
  must(voided === undefined, { gap: 'task-voided', task, event: voided?.event.type ?? '' });
  const blamed = eventsOf(history, 'culprit-found').some(
    ({ event, position }) => ofTask(event) && position > monitor.position,
  );
  must(!blamed, { gap: 'task-blamed', task });
  for (const stored of [base, attempt, dispatch, ended, monitor]) at.rely(stored);
}

/**
 * Returns the position of the approval of the plan that the attempt started under. If that plan was replaced since, each later
 * version has to reuse the task unchanged and keep the tasks that it needs.
 */
function approvalOf(
  history: History,
  of: { readonly task: TaskId; readonly attempt: number; readonly approved: number },
  rely: Rely,
): number {
  const { task } = of;
  const later = eventsOf(history, 'plan-replaced').filter(({ position }) => position > of.attempt);
  const [first] = later;
  if (first === undefined) return of.approved;
  const then = history.filter(({ position }) => position < first.position);
  const { plan } = planInForce(then);
  const before = found(planned(plan, task), { gap: 'task-unplanned', task });
  for (const replaced of later) {
    const after = planned(replaced.event.plan, task);
    const isReused = replaced.event.reuses?.includes(task) === true;
    must(isReused && canonicalJson(after) === canonicalJson(before), { gap: 'task-not-reused', task });
    must(
      before.needs.every((need) => stays(history, replaced, need)),
      { gap: 'task-needs-gone', task },
    );
    rely(replaced);
  }
  return verifyWave(then, waveInHistory(plan, task), rely);
}

type Replaced = ReturnType<typeof eventsOf<'plan-replaced'>>[number];

/** The new plan reuses or keeps the work of this task. A task that a person dropped is kept as dropped, so it does not count. */
function stays(history: History, { position, event }: Replaced, task: TaskId): boolean {
  if (event.reuses?.includes(task) === true) return true;
  const choice = history.findLast(
    (one) =>
      one.position < position &&
      (one.event.type === 'task-dropped' || one.event.type === 'task-retried') &&
      one.event.task === task,
  );
  return event.keeps.includes(task) && choice?.event.type !== 'task-dropped';
}

/**
 * Exit 0 and a `done` handoff of this attempt, or a person's acceptance or edit of exactly this snapshot; and a snapshot that was
 * recorded before it was judged (I3).
 */
function verifyEnding(
  history: History,
  monitor: RecordedEvent<JudgedPhase<'monitor'>>,
  ended: RecordedEvent<Extract<RunEvent, { type: 'attempt-ended' }>>,
  { nonce, rely }: { readonly nonce: string; readonly rely: Rely },
): void {
  const { task, evidence } = monitor.event;
  const { ending, handoff } = evidence;
  must(isDeepStrictEqual(ending, ended.event.ending), { gap: 'task-other-ending', task });
  must(isDeepStrictEqual(handoff, ended.event.handoff), { gap: 'task-other-handoff', task });
  must(isDeepStrictEqual(evidence.drafted, ended.event.drafted), { gap: 'task-other-draft', task });
  must(evidence.nonce === nonce, { gap: 'task-nonce', task });
  const between = history.filter(({ position }) => position > ended.position && position < monitor.position);
  const recorded = lastSnapshot(between, task) ?? ended.event.snapshot;
  must(isDeepStrictEqual(evidence.snapshot, recorded), { gap: 'task-other-snapshot', task });
  if (evidence.acceptance !== undefined) {
    const taken = proveAcceptance(history, between, monitor.event);
    if (!taken.ok) throw new Gap({ gap: taken.error, task });
    taken.value.forEach(rely);
    if (evidence.acceptance.snapshot === recorded?.commit) return;
  }
  must(ending.reason === 'exited' && ending.code === 0, { gap: 'task-exit', task });
  must(handoff.kind === 'given' && handoff.handoff.status === 'done', { gap: 'task-handoff', task });
  must(handoff.handoff.nonce === nonce, { gap: 'task-nonce', task });
}

/** The checks and gates of the wave, on exactly the commit that would become the run branch. */
function verifyClosure(
  history: History,
  of: {
    readonly wave: number;
    readonly round: number;
    readonly base: CommitId;
    /** The position at which the candidate was built or completed. */
    readonly built: number;
    readonly top: Top;
    /** The tree without what closure roles added. */
    readonly core: TreeId;
    /** The same candidate with the check definitions of the base. */
    readonly before: EarlierDefinitions | undefined;
    readonly tasks: readonly { readonly task: TaskId; readonly snapshot: CommitId }[];
    readonly steps: readonly { readonly task: TaskId }[];
  },
  rely: Rely,
): void {
  const closure = found(
    judgedPhases(history, 'closure').findLast(
      ({ event }) => event.wave === of.wave && event.evidence.round === of.round,
    ),
    { gap: 'closure-unjudged', wave: of.wave, round: of.round },
  );
  const { evidence } = closure.event;
  must(passes(closure.event.verdicts), { gap: 'closure-failed', wave: of.wave, round: of.round });
  must(closure.position > of.built, { gap: 'closure-early' });
  must(evidence.base === of.base, { gap: 'closure-base' });
  must(evidence.candidate === of.top.commit, { gap: 'closure-candidate' });
  must(evidence.tree === of.top.tree, { gap: 'closure-tree' });
  for (const { task } of of.steps) {
    const inRound = of.tasks.find((entry) => entry.task === task);
    const inClosure = evidence.tasks.find((entry) => entry.task === task);
    must(isDeepStrictEqual(inClosure, inRound), { gap: 'closure-task', task });
  }
  must(evidence.before?.tree === of.before?.tree, { gap: 'closure-tree' });
  const checked = proveChecks(history, closure, [of.top.tree, ...(of.before === undefined ? [] : [of.before.tree])]);
  if (!checked.ok) throw new Gap(checked.error);
  checked.value.forEach(rely);
  for (const proven of [
    proveBundles(history, closure, of),
    proveComponents(history, closure, of.core),
    proveRoles(history, closure, { core: of.core, whole: of.top.tree }),
  ]) {
    if ('gap' in proven) throw new Gap(proven);
    proven.forEach(rely);
  }
  rely(closure);
}

/** One and only one, so that nothing can be swapped in later. */
function only<T extends 'round-opened' | 'candidate-built' | 'generator-ended' | 'candidate-completed'>(
  history: History,
  type: T,
  isThis: (event: { wave: number; round: number }) => boolean,
) {
  const all = eventsOf(history, type).filter(({ event }) => isThis(event as { wave: number; round: number }));
  must(all.length === 1, { gap: 'event-count', event: type, count: all.length });
  return found(all[0], { gap: 'event-count', event: type, count: 0 });
}
