import type { RunId, TaskId, TreeId } from '../base/ids.ts';
import { blockingRecords, isUnassignable, landingRecords } from '../board/blocking.ts';
import type { BoardRecord } from '../board/board.ts';
import { heldByQuestion } from '../board/board-requests.ts';
import { mayHelp } from '../board/helpers.ts';
import { isCritical } from '../board/kinds.ts';
import { openChecks, openLandingCheck } from '../checks/open-checks.ts';
import { dependencyFinding, heldLanding, heldWave, isForPerson } from '../dependencies/blocks.ts';
import { type Dependency, otherRun } from '../dependencies/dependency.ts';
import type { Finding } from '../findings/finding.ts';
import { findingsIn } from '../gates/verdict.ts';
import { closureOf, hasRatchet, type PlannedTask } from '../plan/plan.ts';
import { openComponents } from '../proofs/components.ts';
import { openBundles, unprovenToLand } from '../proofs/open-bundles.ts';
import { coreOf, type RoundStep, type Tip } from '../run/round.ts';
import { currentWave, type RunState, selectedWaves, tasksOfWave, type WaveState } from '../run/run.ts';
import { countsAsDone, handoffOf, type TaskState } from '../run/task.ts';
import { docsFindings, docsQueueOf } from './docs-queue.ts';
import { openContracts } from './open-contracts.ts';
import { judgeReport, type RoleReport, reportMissing } from './report.ts';
import { judgesWholeTree } from './roles.ts';

/** Something that keeps a wave from closing, or merged work from landing. `id` names it in commands. */
export type Barrier = {
  readonly id: string;
  readonly kind: BarrierKind;
  /** The task or closure role that can remove it, the run of an open dependency, or a person. */
  readonly owner: TaskId | RunId | 'person';
  /** The closure role or task that it is about; absent for a record of the board. */
  readonly task?: TaskId;
  /** The record of the board that it is about. */
  readonly record?: string;
  readonly because: Finding;
  /** The tree that a person's resolution of it counts for. Absent when it cannot be resolved. */
  readonly tree?: TreeId;
  /** The wave that its resolution is recorded with, when that is neither of its task nor the current one. */
  readonly wave?: number;
};

/** In the order in which people are asked about them. */
type BarrierKind = 'question' | 'record' | 'dependency' | 'contract' | 'check' | 'proof' | 'component' | 'report';

/**
 * Lists everything that keeps the wave from closing, beside its tasks, in the order in which it is to be removed. Of a closed wave: the
 * proofs that its merged work has lost, which keeps that from landing.
 */
export function openBarriers(state: RunState, wave: WaveState): readonly Barrier[] {
  if (wave.closed) return unprovenToLand(state).filter(({ task }) => isOfWave(state, wave, task));
  return [
    ...openRecords(state, wave),
    ...openRequired(state, wave),
    ...openContracts(state, wave),
    ...(hasRatchet(state.plan) ? openChecks(state, wave) : []),
    ...openProofs(state, wave),
    ...openReports(state, wave),
  ];
}

const isOfWave = ({ tasks }: RunState, { index }: WaveState, task: TaskId | undefined): boolean =>
  task !== undefined && tasks[task]?.wave === index;

/** The open barriers of the wave that is being closed, and of merged work that has not landed. */
export function barriersOfRun(state: RunState): readonly Barrier[] {
  const current = currentWave(state);
  const waves = selectedWaves(state).filter((wave) => wave === current || wave.closed);
  const barriers = waves.flatMap((wave) => openBarriers(state, wave));
  const named = new Set(barriers.map(({ record }) => record));
  const records = recordsToLand(state).filter(({ record }) => !named.has(record));
  return [...records, ...barriers, ...(hasRatchet(state.plan) ? openLandingCheck(state) : [])];
}

/** Everything that keeps these tasks from landing; by default all that have not landed. */
export const landingBarriers = (state: RunState, tasks?: readonly TaskId[]): readonly Barrier[] => [
  ...recordsToLand(state),
  ...heldLanding(state).map((dependency) => requiredBarrier(state, dependency)),
  ...unprovenToLand(state, tasks),
];

const recordsToLand = (state: RunState): readonly Barrier[] =>
  [...landingRecords(state)].map((record) => ({
    ...barrierOf(record),
    owner: 'person',
    because: heldByQuestion(state, record),
  }));

const barrierOf = ({ id, kind }: BoardRecord) =>
  ({ id: `${kind}-${id}`, kind: kind === 'question' ? 'question' : 'record', record: id }) as const;

/** Required dependencies of the run. They have commands of their own, so nobody resolves them for one tree. */
const openRequired = (state: RunState, { index }: WaveState): readonly Barrier[] =>
  heldWave(state, index).map((dependency) => requiredBarrier(state, dependency));

const requiredBarrier = (state: RunState, dependency: Dependency): Barrier => ({
  id: dependency.id,
  kind: 'dependency',
  owner: isForPerson(dependency) ? 'person' : (otherRun(dependency) ?? 'person'),
  because: dependencyFinding(state, dependency),
});

/** Proofs and components that keep the wave from closing, without those that people resolved. Closure roles wait for them. */
export function openProofs(state: RunState, wave: WaveState): readonly Barrier[] {
  const tasks = tasksOfWave(state, wave.index).filter(countsAsDone);
  const bundles = tasks.flatMap(({ id }) => withTree(openBundles(state, [id]), subjectTree(state, wave, id)));
  const components = withTree(openComponents(state, wave), subjectTree(state, wave, null));
  return [...bundles, ...components].filter((barrier) => !isResolvedFor(wave, barrier));
}

const withTree = (barriers: readonly Barrier[], tree: TreeId | null): readonly Barrier[] =>
  tree === null ? barriers : barriers.map((barrier) => ({ ...barrier, tree }));

const isResolvedFor = ({ resolved = [] }: WaveState, { id, tree }: Barrier): boolean =>
  tree !== undefined && resolved.some((one) => one.barrier === id && one.tree === tree);

/** The candidate with this task, or the newest one, without what closure roles added. Without a candidate, the run branch. */
function subjectTree({ branch }: RunState, { rounds }: WaveState, task: TaskId | null): TreeId | null {
  for (const round of rounds.toReversed()) {
    if (!('tip' in round) || round.tip === null) continue;
    if (task === null && round.status === 'merged') break;
    if (task === null || round.steps.some((step) => step.task === task))
      return coreOf({ ...round, tip: round.tip }).tree;
  }
  return branch?.tree ?? null;
}

/**
 * Records of the board that keep the wave open. Until they are settled, no round of the wave opens, no closure role starts, and
 * nothing is merged.
 */
export const openRecords = (state: RunState, wave: WaveState): readonly Barrier[] =>
  blockingRecords(state, wave.index).map((record) => {
    const { target } = record;
    const task = target !== 'person' && target !== 'all' && !isUnassignable(state, record) ? target : null;
    // a task of a later wave may wait for this one
    const isHere = task !== null && state.tasks[task]?.wave === wave.index;
    const isBusy = isHere && (maySettle(state.tasks[task]) || mayHelp(state, task));
    return {
      ...barrierOf(record),
      owner: isBusy ? task : 'person',
      because: becauseOf(state, record, task),
    };
  });

/** Tells whether an agent of the task works, or will work without a person. It has the record in its inbox. */
const maySettle = (task: TaskState | undefined): boolean =>
  task !== undefined && ['waiting', 'launching', 'running', 'ended'].includes(task.progress.status);

function becauseOf(state: RunState, record: BoardRecord, task: TaskId | null): Finding {
  const { run } = state;
  const { id, kind, target, route } = record;
  if (isUnassignable(state, record)) {
    const { asked = target, reason = 'task-over' } = route ?? {};
    const isMissing = reason === 'no-task' || reason === 'no-capability' || reason === 'no-owner';
    const named = isMissing ? asked : target === 'person' ? asked : target;
    return { rule: 'open-unassignable', run, record: id, kind, named, reason: isMissing ? reason : 'task-over' };
  }
  if (kind === 'question' && isCritical(record)) return { rule: 'open-question', run, record: id };
  return { rule: 'open-record', run, record: id, kind, ...(task === null ? {} : { to: task }) };
}

function openReports(state: RunState, wave: WaveState): readonly Barrier[] {
  const round = wave.rounds.at(-1);
  if (round === undefined || !('tip' in round) || round.tip === null || round.status === 'merged') return [];
  const candidate = { ...round, tip: round.tip };
  return closureOf(state.plan, wave.index).flatMap((role) => {
    const status = roleStatusOf(state, wave, role, candidate);
    const { tree } = status.subject;
    const owner = needsPerson(status) ? 'person' : role.id;
    // one action removes all that a role finds
    return status.because.slice(0, 1).map((because) => ({
      id: role.id,
      kind: 'report',
      owner,
      task: role.id,
      because,
      tree,
    }));
  });
}

/** True when the role has ended for this tree, so that nothing more happens without a person. */
const needsPerson = ({ task }: RoleStatus): boolean =>
  task !== null && ['ready', 'done', 'held', 'failed'].includes(task.progress.status);

/** A closure role and a candidate. `subject` is the commit that the role judges. */
export type RoleStatus = {
  readonly subject: Tip;
  /** Null when it has not been opened for this tree. */
  readonly task: TaskState | null;
  readonly report: RoleReport | null;
  /** Empty when the wave may close as far as this role is concerned. */
  readonly because: readonly Finding[];
  readonly isResolved: boolean;
};

export function roleStatusOf(
  state: RunState,
  wave: WaveState,
  role: PlannedTask,
  round: Parameters<typeof coreOf>[0] & { readonly steps: readonly RoundStep[] },
): RoleStatus {
  const isWhole = role.closes !== undefined && judgesWholeTree(role.closes);
  const subject = isWhole ? round.tip : coreOf(round);
  const { tree } = subject;
  const known = state.tasks[role.id];
  const task = known?.about?.tree === tree ? known : null;
  const isResolved = wave.resolved?.some((one) => one.barrier === role.id && one.tree === tree) === true;
  const report = task === null ? null : reportOf(task);
  const found =
    report === null
      ? [reportMissing(role, whyVoid(task))]
      : [...judgeReport(role, report), ...docsFindings(role, report, docsQueueOf(state, round.steps))];
  return { subject, task, report, because: isResolved ? [] : found, isResolved };
}

/** The first finding about a role that gave a report and did not pass its gates. Undefined for a role without a report. */
function whyVoid(task: TaskState | null): Finding | undefined {
  const progress = task?.progress;
  if (progress?.status !== 'held' && progress?.status !== 'failed') return undefined;
  const { dispatched, monitored, handoff } = progress.attempt;
  if (handoff.kind !== 'given' || handoff.handoff.report === undefined) return undefined;
  return findingsIn([...(dispatched ?? []), ...(monitored ?? [])])[0];
}

/** The report of a role whose attempt passed its gates. */
function reportOf(task: TaskState): RoleReport | null {
  return countsAsDone(task) ? (handoffOf(task)?.report ?? null) : null;
}
