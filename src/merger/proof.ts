import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CommitId, TaskId } from '../domain/ids.ts';
import type { Judgement } from '../domain/judgement.ts';
import { canonicalJson } from '../domain/plan.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { passes } from '../domain/verdict.ts';
import type { Stored } from '../ports/ledger.ts';
import {
  eventsOf,
  type History,
  isMerged,
  isReadOnly,
  isVoidedBy,
  type Judged,
  judged,
  planInForce,
  planned,
  type Recorded,
  runTip,
  waveOf,
} from './history.ts';

/**
 * Whether the ledger proves that this round may be merged: every phase passed, in order, for one plan hash, on exactly
 * the snapshots and the tree that are about to move the run branch. Written apart from the code that made those
 * events, so that a mistake there does not vouch for itself. Gives a digest over the records relied on, or the first gap.
 */
export function verifyChain(history: History, wave: number, round: number): Result<string, string> {
  const relied = new Map<number, string>();
  const rely = (stored: Pick<Stored, 'position' | 'hash'>) => relied.set(stored.position, stored.hash);
  try {
    verifyRound(history, wave, round, rely);
  } catch (error) {
    if (error instanceof Gap) return err(error.message);
    throw error;
  }
  const hashes = [...relied].sort(([a], [b]) => a - b).map(([, hash]) => hash);
  return ok(createHash('sha256').update(hashes.join('\n')).digest('hex'));
}

/** The one place where the chain breaks. Thrown and caught in this file only, so that each rule stays one line. */
class Gap extends Error {}
function must(holds: boolean, why: string): asserts holds {
  if (!holds) throw new Gap(why);
}
function found<T>(value: T | null | undefined, why: string): T {
  must(value !== null && value !== undefined, why);
  return value;
}

type Rely = (stored: Pick<Stored, 'position' | 'hash'>) => void;

function verifyRound(history: History, wave: number, round: number, rely: Rely): void {
  const { plan, hash, since } = planInForce(history);
  must(eventsOf(history, 'run-created').length === 1, 'the run was created more than once');
  must(
    createHash('sha256').update(canonicalJson(plan)).digest('hex') === hash,
    'the frozen plan does not have its hash',
  );
  rely(found(history[0], 'the ledger is empty'));
  if (since > 0) rely(found(history[since - 1], 'the plan was replaced by nothing'));

  const approved = verifyWave(history, wave, rely);
  const isThis = (event: { wave: number; round: number }) => event.wave === wave && event.round === round;
  const opened = only(history, 'round-opened', isThis);
  const built = only(history, 'candidate-built', isThis);
  must(opened.position > since, 'the round was opened under another version of the plan');
  rely(opened);
  rely(built);
  must(
    !eventsOf(history, 'round-abandoned').some(({ event }) => isThis(event)),
    `round ${round} of wave ${wave} was abandoned`,
  );
  const tip = runTip(history.filter(({ position }) => position < opened.position));
  must(opened.event.base === tip, `the round starts at ${opened.event.base}, the run branch at ${tip}`);
  must(built.position > opened.position && built.event.base === opened.event.base, 'the candidate is of another round');

  const { steps } = built.event;
  const last = found(steps.at(-1), 'the candidate holds no task');
  must(new Set(steps.map((step) => step.task)).size === steps.length, 'a task is twice in the candidate');
  for (const step of steps) {
    must(waveOf(plan, step.task) === wave, `${step.task} is not a task of wave ${wave}`);
    const entry = found(
      opened.event.tasks.find(({ task }) => task === step.task),
      `${step.task} is not in the round`,
    );
    verifyTask(history, entry, { approved, opened: opened.position, rely });
  }
  const { top, position } = verifyGenerated(history, { last, built: built.position, isThis }, rely);
  verifyClosure(
    history,
    { wave, round, base: opened.event.base, top, tasks: opened.event.tasks, built: position, steps },
    rely,
  );
}

type Top = { readonly commit: CommitId; readonly tree: string };

/** The commit that would become the run branch: the last step, or with generated files what their commands completed. */
function verifyGenerated(
  history: History,
  of: {
    readonly last: Top;
    readonly built: number;
    readonly isThis: (event: { wave: number; round: number }) => boolean;
  },
  rely: Rely,
): { readonly top: Top; readonly position: number } {
  const generated = Object.keys(planInForce(history).plan.generated);
  if (generated.length === 0) {
    const stray = eventsOf(history, 'candidate-completed').some(({ event }) => of.isThis(event));
    must(!stray, 'the plan has no generated files, but the candidate does');
    return { top: of.last, position: of.built };
  }
  const ended = only(history, 'generator-ended', of.isThis);
  const completed = only(history, 'candidate-completed', of.isThis);
  const { ending } = ended.event;
  const snapshot = found(ended.event.snapshot, 'the rebuilt files were not snapshotted');
  must(ending.reason === 'exited' && ending.code === 0, 'the generated files could not be rebuilt');
  must(snapshot.base === of.last.commit, 'the generated files were rebuilt on another commit');
  const unsafe = [...snapshot.refused, ...snapshot.secrets].find(({ where }) => generated.includes(where ?? ''));
  must(unsafe === undefined, `${unsafe?.where} cannot be taken (${unsafe?.rule})`);
  const special = snapshot.diff.find(
    ({ path, newMode }) => generated.includes(path) && !['000000', '100644', '100755'].includes(newMode),
  );
  must(special === undefined, `${special?.path} is not a plain file`);
  must(
    of.built < ended.position && ended.position < completed.position,
    'the candidate was completed before its files were rebuilt',
  );
  const { commit, tree } = completed.event;
  must((commit === of.last.commit) === (tree === of.last.tree), 'the candidate was completed by a commit of no change');
  rely(ended);
  rely(completed);
  return { top: { commit, tree }, position: completed.position };
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
  must(decided?.event.decision === 'approved', `nobody approved wave ${wave}`);
  must(decided.event.hash === hash, 'another plan was approved');
  rely(decided);
  const approvals = judged(history, 'approval').filter(
    ({ position, event }) => position > since && event.wave === wave,
  );
  for (const { event } of approvals)
    must(event.evidence.hash === hash || !passes(event.verdicts), 'approval was judged for another plan');
  const last = found(approvals.at(-1), `approval of wave ${wave} was never judged`);
  must(last.event.evidence.decision === 'approved', `wave ${wave} is not approved`);
  return verifyPhase(history, { phase: 'approval', wave, after }, rely);
}

type WavePhase = Exclude<Judgement['phase'], 'dispatch' | 'monitor' | 'closure' | 'merge'>;

/** A first pass after `after`, and no later verdict against it: what was overruled proves nothing. */
function verifyPhase(
  history: History,
  { phase, wave, after }: { readonly phase: WavePhase; readonly wave: number; readonly after: number },
  rely: Rely,
): number {
  const judgements = judged(history, phase).filter(({ event }) => !('wave' in event) || event.wave === wave);
  const last = found(judgements.at(-1), `${phase} was never judged`);
  must(passes(last.event.verdicts), `${phase} did not pass`);
  const first = found(
    judgements.find(({ position, event }) => position > after && passes(event.verdicts)),
    `${phase} did not pass after the phase before it`,
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
  must(!isReadOnly(found(planned(plan, task), `the plan has no task ${task}`)), `${task} is read-only`);
  must(
    !isMerged(
      history.filter(({ position }) => position < at.opened),
      task,
    ),
    `${task} is merged already`,
  );

  const monitor = found(
    judged(history, 'monitor').findLast(({ event }) => ofTask(event)),
    `${task} was never judged`,
  );
  must(passes(monitor.event.verdicts), `${task} did not pass its gates`);
  must(monitor.position < at.opened, `${task} was judged after the round was opened`);
  const { evidence } = monitor.event;
  const snapshot = found(evidence.snapshot, `${task} has no snapshot`);
  must(snapshot.commit === entry.snapshot, `${task} was judged at ${snapshot.commit}, not at ${entry.snapshot}`);

  const attempt = found(
    eventsOf(history, 'attempt-intended').findLast(({ event }) => ofTask(event)),
    `${task} was never started`,
  );
  must(attempt.event.attempt === evidence.attempt, `${task} was judged by another attempt than its last`);
  must(attempt.position > at.approved, `${task} was started before it was approved`);
  const base = found(
    eventsOf(history, 'task-base-made').findLast(({ position, event }) => ofTask(event) && position < attempt.position),
    `${task} has no recorded base`,
  );
  must(attempt.event.base === base.event.commit, `${task} was started from another base than the recorded one`);
  must(snapshot.base === base.event.commit, `the snapshot of ${task} is of another base than the recorded one`);

  const dispatch = found(
    judged(history, 'dispatch').findLast(({ event }) => ofTask(event) && event.evidence.attempt === evidence.attempt),
    `dispatch of ${evidence.attempt} was never judged`,
  );
  must(passes(dispatch.event.verdicts), `dispatch of ${evidence.attempt} did not pass`);
  const { base: expected, workspaceBase } = dispatch.event.evidence;
  must(
    workspaceBase === expected && [attempt.event.base, attempt.event.from].includes(expected),
    `the workspace of ${evidence.attempt} was made from another commit`,
  );

  const ended = found(
    eventsOf(history, 'attempt-ended').findLast(({ event }) => event.attempt === evidence.attempt),
    `${evidence.attempt} never ended`,
  );
  must(
    attempt.position < dispatch.position && dispatch.position < monitor.position && ended.position < monitor.position,
    `${task} was judged before it was dispatched and ended`,
  );
  verifyEnding(history, monitor, ended, attempt.event.nonce);
  const voided = history.find(({ position, event }) => position > monitor.position && isVoidedBy(task, event));
  must(voided === undefined, `${task} was changed after it was judged (${voided?.event.type})`);
  const blamed = eventsOf(history, 'culprit-found').some(
    ({ event, position }) => ofTask(event) && position > monitor.position,
  );
  must(!blamed, `${task} broke a check`);
  for (const stored of [base, attempt, dispatch, ended, monitor]) at.rely(stored);
}

/** Exit 0, a `done` handoff of this attempt, and a snapshot that was recorded before it was judged (I3). */
function verifyEnding(
  history: History,
  { event, position }: Recorded<Judged<'monitor'>>,
  ended: ReturnType<typeof eventsOf<'attempt-ended'>>[number],
  nonce: string,
): void {
  const { task, evidence } = event;
  const { ending, handoff } = evidence;
  must(isDeepStrictEqual(ending, ended.event.ending), `${task} was judged by another ending than the recorded one`);
  must(isDeepStrictEqual(handoff, ended.event.handoff), `${task} was judged by another handoff than the recorded one`);
  must(isDeepStrictEqual(evidence.drafted, ended.event.drafted), `${task} was judged by another reading of its plan`);
  must(ending.reason === 'exited' && ending.code === 0, `${task} did not exit with 0`);
  must(handoff.kind === 'given' && handoff.handoff.status === 'done', `${task} left no handoff that says done`);
  must(handoff.handoff.nonce === nonce && evidence.nonce === nonce, `the handoff of ${task} is of another attempt`);
  const replaced = eventsOf(history, 'paths-dropped').findLast(
    (dropped) => dropped.event.task === task && dropped.position > ended.position && dropped.position < position,
  );
  const recorded = replaced?.event.snapshot ?? ended.event.snapshot;
  must(isDeepStrictEqual(evidence.snapshot, recorded), `${task} was judged by another snapshot than the recorded one`);
}

/** The checks and gates of the wave, on exactly the commit that would become the run branch. */
function verifyClosure(
  history: History,
  of: {
    readonly wave: number;
    readonly round: number;
    readonly base: CommitId;
    /** Where the candidate was built or completed. */
    readonly built: number;
    readonly top: Top;
    readonly tasks: readonly { readonly task: TaskId; readonly snapshot: CommitId }[];
    readonly steps: readonly { readonly task: TaskId }[];
  },
  rely: Rely,
): void {
  const closure = found(
    judged(history, 'closure').findLast(({ event }) => event.wave === of.wave && event.evidence.round === of.round),
    `closure of round ${of.round} was never judged`,
  );
  const { evidence } = closure.event;
  must(passes(closure.event.verdicts), `closure of round ${of.round} did not pass`);
  must(closure.position > of.built, 'closure was judged before the candidate was built');
  must(evidence.base === of.base, 'closure was judged on another base');
  must(evidence.candidate === of.top.commit, 'closure was judged on another candidate');
  must(evidence.tree === of.top.tree, 'closure was judged on another tree');
  for (const { task } of of.steps) {
    const inRound = of.tasks.find((entry) => entry.task === task);
    const inClosure = evidence.tasks.find((entry) => entry.task === task);
    must(isDeepStrictEqual(inClosure, inRound), `closure did not judge ${task} at the snapshot of the round`);
  }
  const { plan, since } = planInForce(history);
  for (const { name } of plan.checks) {
    const claimed = evidence.checks.find((check) => check.name === name);
    must(claimed?.outcome === 'passed' && claimed.tree === of.top.tree, `check ${name} did not pass on the candidate`);
    const ran = eventsOf(history, 'check-ended').findLast(
      ({ position, event }) =>
        position > since &&
        position < closure.position &&
        event.check.name === name &&
        event.check.tree === of.top.tree,
    );
    must(ran?.event.check.outcome === 'passed', `no record of check ${name} passing on the candidate`);
    rely(ran);
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
  must(all.length === 1, `there are ${all.length} ${type} events of this round instead of one`);
  return found(all[0], type);
}
