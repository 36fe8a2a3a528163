import { isDeepStrictEqual } from 'node:util';
import type { CommitId, TaskId, TreeId } from '../../domain/base/ids.ts';
import type { RoundEntry } from '../../domain/gates/evidence.ts';
import { passes } from '../../domain/gates/verdict.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { canonicalJson, isReadOnly } from '../../domain/plan/plan.ts';
import { derivedIn, proveDerived } from './derived.ts';
import { proveExit } from './exits.ts';
import { found, Gap, must, type Rely } from './gap.ts';
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
  type RecordedEvent,
  waveInHistory,
} from './history.ts';
import { proveReuse } from './reuse.ts';
import { verifyWave } from './verify-wave.ts';

type VerifyAt = { readonly approved: number; readonly opened: number; readonly rely: Rely };

/** A task of a round, by its own work or by that of a derived task. For the latter, the work that it repairs has to be proven too. */
export function verifyEntry(history: History, entry: RoundEntry, at: VerifyAt): void {
  const { task, snapshot, by } = entry;
  if (by === undefined) {
    verifyTask(history, entry, at);
    return;
  }
  const proven = proveDerived(history, entry, at.opened);
  if ('gap' in proven) throw new Gap(proven);
  proven.forEach(at.rely);
  const inputs = derivedIn(history, by)?.event.inputs;
  must(inputs !== undefined, { gap: 'task-unplanned', task: by });
  verifyTask(history, { task, snapshot: inputs.snapshot, isRepaired: true }, at);
  verifyTask(history, { task: by, snapshot }, at);
}

/** One task: base, attempt, dispatch, end, snapshot, verdict; each of the same attempt and in this order. */
function verifyTask(
  history: History,
  entry: { readonly task: TaskId; readonly snapshot: CommitId; readonly isRepaired?: true },
  at: VerifyAt,
): void {
  const { task } = entry;
  const { plan } = planInForce(history);
  const ofTask = (event: { task: TaskId }) => event.task === task;
  must(
    !isReadOnly(found(planned(plan, task) ?? derivedIn(history, task)?.event.planned, { gap: 'task-unplanned', task })),
    { gap: 'task-read-only', task },
  );
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
  const reused = proveReuse(history, attempt);
  if (typeof reused === 'string') throw new Gap({ gap: reused, task });
  reused.forEach(at.rely);
  const base = found(
    eventsOf(history, 'task-base-made').findLast(({ position, event }) => ofTask(event) && position < attempt.position),
    { gap: 'task-baseless', task },
  );
  must(attempt.event.base === base.event.commit, { gap: 'task-other-base', task });
  must(snapshot.base === base.event.commit, { gap: 'task-snapshot-base', task });
  const isCurrent = (base.event.of ?? []).every((need) => isUnchanged(history, need, at.opened));
  must(isCurrent || entry.isRepaired === true, { gap: 'task-need-changed', task });

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
  // a derived task repairs what it was blamed for, and is checked again
  must(!blamed || entry.isRepaired === true, { gap: 'task-blamed', task });
  for (const stored of [base, attempt, dispatch, ended, monitor]) at.rely(stored);
}

/** Tells whether the work of a needed task is still the work that the base holds. Repaired work is proven apart. */
function isUnchanged(
  history: History,
  { task, tree }: { readonly task: TaskId; readonly tree?: TreeId },
  opened: number,
): boolean {
  const { plan } = planInForce(history);
  if (tree === undefined || planned(plan, task) === undefined) return true;
  if (eventsOf(history, 'task-derived').some(({ event }) => event.standsFor.includes(task))) return true;
  const then = history.filter(({ position }) => position < opened);
  return lastSnapshot(then, task)?.tree === tree;
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
      (one.event.type === 'task-dropped' || one.event.type === 'task-retried'
        ? one.event.task === task
        : one.event.type === 'wave-relaunched' && one.event.starts.some((start) => start.task === task)),
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
