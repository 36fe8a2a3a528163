import { isDeepStrictEqual } from 'node:util';
import type { CommitId, PlanHash, TaskId, TreeId } from '../../domain/base/ids.ts';
import { err, ok, present, type Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { TaskGap } from '../../domain/findings/merger-rules.ts';
import type { SnapshotEvidence } from '../../domain/gates/evidence.ts';
import type { Judgement } from '../../domain/gates/judge.ts';
import { passes } from '../../domain/gates/verdict.ts';
import type { LedgerEvent, RunEvent } from '../../domain/ledger/events.ts';
import type { By } from '../../domain/ledger/requests.ts';
import { allTasks, type FrozenPlan, type PlannedTask, type PlannedWave } from '../../domain/plan/plan.ts';
import type { Stored } from '../../ports/ledger.ts';

/** The past of one run as its records, so that whatever relies on an event can cite the record's hash. */
export type History = readonly Stored[];

export type RecordedEvent<E> = Omit<Stored, 'event'> & { readonly event: E };
type OfType<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;
export type JudgedPhase<P extends Judgement['phase']> = OfType<'phase-judged'> & Extract<Judgement, { phase: P }>;

/** The ledger does not hold what every run begins with. Our bug, or somebody else's stream. */
class NotARun extends Error {
  override readonly name = 'NotARun';
}

export function eventsOf<T extends RunEvent['type']>(history: History, type: T): readonly RecordedEvent<OfType<T>>[] {
  return history.filter((stored): stored is RecordedEvent<OfType<T>> & Stored => stored.event.type === type);
}

export function judgedPhases<P extends Judgement['phase']>(
  history: History,
  phase: P,
): readonly RecordedEvent<JudgedPhase<P>>[] {
  return history.filter(
    (stored): stored is RecordedEvent<JudgedPhase<P>> & Stored =>
      stored.event.type === 'phase-judged' && stored.event.phase === phase,
  );
}

export function creation(history: History): OfType<'run-created'> {
  const created = eventsOf(history, 'run-created')[0]?.event;
  if (created === undefined) throw new NotARun('this stream has no run-created event');
  return created;
}

/** The version of the plan in force at the end of this history, and the position from which on it is. */
export function planInForce(history: History): {
  readonly plan: FrozenPlan;
  readonly hash: PlanHash;
  readonly since: number;
} {
  const replaced = eventsOf(history, 'plan-replaced').at(-1);
  const { plan, hash } = replaced?.event ?? creation(history);
  return { plan, hash, since: replaced?.position ?? 0 };
}

/** The plan as far as this run goes: with one wave only, what its tasks need of other waves has landed by an earlier run. */
export function planHere(history: History): FrozenPlan {
  const { wave } = creation(history);
  const { plan } = planInForce(history);
  return wave === null ? plan : { ...plan, waves: plan.waves.map(withinWave) };
}

function withinWave(wave: PlannedWave): PlannedWave {
  const here = new Set(wave.tasks.map((task) => task.id));
  return {
    ...wave,
    tasks: wave.tasks.map((task) => ({ ...task, needs: task.needs.filter((need) => here.has(need)) })),
  };
}

/** Returns why no branch is moved for this run any more. Null unless somebody abandoned it. */
export function abandonReason(history: History): Finding | null {
  const abandonment = eventsOf(history, 'run-abandoned')[0]?.event;
  return abandonment === undefined ? null : { rule: 'run-abandoned', who: abandonment.by.who };
}

/** The tip of the run branch by the ledger; undefined before it was made. */
export function runTip(history: History): CommitId | undefined {
  return eventsOf(history, 'merged').at(-1)?.event.new ?? eventsOf(history, 'run-branch-made').at(-1)?.event.commit;
}

export function waveInHistory(plan: FrozenPlan, task: TaskId): number {
  return plan.waves.findIndex((wave) => wave.tasks.some((planned) => planned.id === task));
}

export function planned(plan: FrozenPlan, task: TaskId): PlannedTask | undefined {
  return allTasks(plan).find((candidate) => candidate.id === task);
}

export function isMerged(history: History, task: TaskId): boolean {
  return eventsOf(history, 'merged').some(({ event }) => event.tasks.some((merged) => merged.task === task));
}

/** The snapshot that the gates last passed, unless something happened to the task since. */
export function readySnapshot(history: History, task: TaskId): SnapshotEvidence | undefined {
  const last = judgedPhases(history, 'monitor').findLast(({ event }) => event.task === task);
  if (last === undefined || !passes(last.event.verdicts)) return undefined;
  const voided = history.some(({ position, event }) => position > last.position && isVoidedBy(task, event));
  return voided ? undefined : (last.event.evidence.snapshot ?? undefined);
}

/** The newest snapshot of a task, whoever made it; undefined when its last attempt left none. */
export function lastSnapshot(history: History, task: TaskId): SnapshotEvidence | undefined {
  const last = history.findLast(({ event }) => isSnapshot(event) && event.task === task)?.event;
  return last !== undefined && isSnapshot(last) ? (last.snapshot ?? undefined) : undefined;
}

const isSnapshot = (event: LedgerEvent): event is OfType<'attempt-ended' | 'paths-dropped' | 'task-edited'> =>
  event.type === 'attempt-ended' || event.type === 'paths-dropped' || event.type === 'task-edited';

/** Done without a change: there is nothing to merge, and dependents build on the rest. */
export const isDoneEmpty = (history: History, task: TaskId): boolean => readySnapshot(history, task)?.diff.length === 0;

type Round = { readonly wave: number; readonly round: number };

/** Tells whether an event belongs to this round. */
export const isOfRound =
  ({ wave, round }: Round) =>
  ({ event }: { readonly event: Round }): boolean =>
    event.wave === wave && event.round === round;

/** The commit of a round that would become the run branch; undefined before the candidate was built. */
export function candidateTop(
  history: History,
  { wave, round }: Round,
): { readonly commit: CommitId; readonly tree: TreeId } | undefined {
  const ofRound = isOfRound({ wave, round });
  return eventsOf(history, 'candidate-extended').findLast(ofRound)?.event ?? coreTop(history, { wave, round });
}

/** The same without what closure roles added. */
export const coreTop = (
  history: History,
  of: Round,
): { readonly commit: CommitId; readonly tree: TreeId } | undefined =>
  eventsOf(history, 'components-promoted').findLast(isOfRound(of))?.event ?? completedTop(history, of);

/** The commit of a round with its generated files, which the new levels of components are put on. */
export function completedTop(
  history: History,
  { wave, round }: Round,
): { readonly commit: CommitId; readonly tree: TreeId } | undefined {
  const ofRound = isOfRound({ wave, round });
  return (
    eventsOf(history, 'candidate-completed').findLast(ofRound)?.event ??
    eventsOf(history, 'candidate-built').findLast(ofRound)?.event.steps.at(-1)
  );
}

/** Commits of a round that are of no task or role, in order: generated files, and new levels of components. */
export function sharedCommits(history: History, { wave, round }: Round): readonly CommitId[] {
  const ofRound = isOfRound({ wave, round });
  const last = eventsOf(history, 'candidate-built').findLast(ofRound)?.event.steps.at(-1)?.commit;
  const completed = eventsOf(history, 'candidate-completed').findLast(ofRound)?.event.commit;
  const promoted = eventsOf(history, 'components-promoted').findLast(ofRound)?.event.commit;
  return [completed, promoted].flatMap((commit) => (commit === undefined || commit === last ? [] : [commit]));
}

/** The last commit of each task and closure role in the candidate of a round. */
export function commitsOfRound(
  history: History,
  { wave, round }: Round,
): Extract<RunEvent, { type: 'merged' }>['tasks'] {
  const ofRound = isOfRound({ wave, round });
  const entries = eventsOf(history, 'round-opened').findLast(ofRound)?.event.tasks ?? [];
  const built = eventsOf(history, 'candidate-built').findLast(ofRound)?.event.steps ?? [];
  const steps = built.map((step) => ({
    ...step,
    ...present({ by: entries.find(({ task }) => task === step.task)?.by }),
  }));
  const roles = eventsOf(history, 'candidate-extended')
    .filter(ofRound)
    .map(({ event }) => event);
  const all: readonly { readonly task: TaskId; readonly commit: CommitId; readonly by?: TaskId }[] = [
    ...steps,
    ...roles,
  ];
  return [...new Map(all.map(({ task, commit, by }) => [task, { task, commit, ...present({ by }) }])).values()];
}

/** Events after which an earlier verdict on a task's snapshot is void. */
export function isVoidedBy(task: TaskId, event: LedgerEvent): boolean {
  if (event.type === 'plan-replaced') return true;
  if (event.type === 'wave-relaunched') return isRelaunched(task, event);
  return voids.has(event.type) && 'task' in event && event.task === task;
}

/** Tells whether a selection concerns the task: it starts over, is judged again, or is a role that runs again. */
const isRelaunched = (task: TaskId, { starts, reuses, roles }: OfType<'wave-relaunched'>): boolean =>
  roles.includes(task) || [...starts, ...reuses].some((one) => one.task === task);

/** Tells whether somebody started the task over since its first base was made. */
export const isStartedOver = (task: TaskId, event: LedgerEvent): boolean =>
  event.type === 'task-retried'
    ? event.task === task
    : event.type === 'wave-relaunched' && event.starts.some((start) => start.task === task);

const voids: ReadonlySet<string> = new Set<RunEvent['type']>([
  'attempt-intended',
  'paths-dropped',
  'task-edited',
  'task-dropped',
  'task-retried',
  'task-reworked',
  'role-opened',
]);

/** Needed tasks before those that need them, otherwise in the order of the plan. */
export function inOrder(plan: FrozenPlan, tasks: ReadonlySet<TaskId>): readonly PlannedTask[] {
  const sorted: PlannedTask[] = [];
  const visited = new Set<TaskId>();
  const visit = (task: PlannedTask): void => {
    if (visited.has(task.id)) return;
    visited.add(task.id);
    for (const need of task.needs) {
      const needed = planned(plan, need);
      if (needed !== undefined) visit(needed);
    }
    if (tasks.has(task.id)) sorted.push(task);
  };
  for (const task of allTasks(plan)) visit(task);
  return sorted;
}

/** All needs of a task, directly or through others. */
export function allNeeds(plan: FrozenPlan, task: TaskId): ReadonlySet<TaskId> {
  const needs = new Set<TaskId>();
  const visit = (id: TaskId): void => {
    for (const need of planned(plan, id)?.needs ?? []) {
      if (needs.has(need)) continue;
      needs.add(need);
      visit(need);
    }
  };
  visit(task);
  return needs;
}

type Taking = Extract<RunEvent, { type: 'task-accepted' | 'task-edited' }>;

/**
 * Proves a person's acceptance of this attempt: it was recorded, is the last one, and was requested by that person. `between` holds
 * the events after the end of the attempt and before its verdicts. Returns the records relied on.
 */
export function proveAcceptance(
  history: History,
  between: History,
  { task, evidence }: JudgedPhase<'monitor'>,
): Result<readonly Stored[], TaskGap> {
  const last = between.findLast(
    (stored): stored is RecordedEvent<Taking> & Stored => isTaking(stored.event) && stored.event.task === task,
  );
  if (last === undefined) return err('task-acceptance-unrecorded');
  const edit = eventsOf(between, 'task-edited').findLast(({ event }) => event.task === task);
  const snapshot = last.event.type === 'task-edited' ? last.event.snapshot.commit : last.event.snapshot;
  const claimed = { snapshot, who: last.event.by.who, edited: edit?.event.paths ?? [] };
  if (!isDeepStrictEqual(evidence.acceptance, claimed)) return err('task-acceptance-other');
  const relied: Stored[] = [];
  for (const taken of edit === undefined || edit.position === last.position ? [last] : [edit, last]) {
    if (taken.event.attempt !== evidence.attempt) return err('task-acceptance-other');
    const request = history.find(
      ({ position, event }) => position < taken.position && isRequestFor(event, taken.event),
    );
    if (request === undefined || !byHand.has(taken.event.by.via)) return err('task-acceptance-unasked');
    relied.push(request, taken);
  }
  return ok(relied);
}

const isTaking = (event: LedgerEvent): event is Taking =>
  event.type === 'task-accepted' || event.type === 'task-edited';

/** Only a person's own request takes work: no flag, no marker, no policy. */
export const byHand: ReadonlySet<By['via']> = new Set<By['via']>(['terminal', 'command', 'api']);

function isRequestFor(request: LedgerEvent, taken: Taking): boolean {
  if (request.type === 'requested-accept' && taken.type === 'task-accepted')
    return (
      request.task === taken.task && request.snapshot === taken.snapshot && isDeepStrictEqual(request.by, taken.by)
    );
  if (request.type !== 'requested-edit' || taken.type !== 'task-edited') return false;
  const { task, from, copy, by } = taken;
  return request.task === task && request.from === from && request.copy === copy && isDeepStrictEqual(request.by, by);
}
