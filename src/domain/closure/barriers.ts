import type { RunId, TaskId, TreeId } from '../base/ids.ts';
import { openCriticalQuestions } from '../board/board-requests.ts';
import { dependencyFinding, heldWave, isForPerson } from '../dependencies/blocks.ts';
import { otherRun } from '../dependencies/dependency.ts';
import type { Finding } from '../findings/finding.ts';
import { findingsIn } from '../gates/verdict.ts';
import { closureOf, type PlannedTask } from '../plan/plan.ts';
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
};

/** In the order in which people are asked about them. */
type BarrierKind = 'question' | 'dependency' | 'contract' | 'proof' | 'component' | 'report';

/**
 * Lists everything that keeps the wave from closing, in the order in which it is to be removed. Empty for a wave without exit
 * contracts, closure roles, proofs and components, which closes when its tasks are resolved. Of a closed wave: the proofs that its
 * merged work has lost, which keeps that from landing.
 */
export function openBarriers(state: RunState, wave: WaveState): readonly Barrier[] {
  if (wave.closed) return unprovenToLand(state).filter(({ task }) => isOfWave(state, wave, task));
  const records = closureOf(state.plan, wave.index).length === 0 ? [] : openRecords(state);
  return [
    ...records,
    ...openRequired(state, wave),
    ...openContracts(state, wave),
    ...openProofs(state, wave),
    ...openReports(state, wave),
  ];
}

const isOfWave = ({ tasks }: RunState, { index }: WaveState, task: TaskId | undefined): boolean =>
  task !== undefined && tasks[task]?.wave === index;

/** The open barriers of the wave that is being closed, and of merged work that has not landed. */
export function barriersOfRun(state: RunState): readonly Barrier[] {
  const current = currentWave(state);
  return selectedWaves(state)
    .filter((wave) => wave === current || wave.closed)
    .flatMap((wave) => openBarriers(state, wave));
}

/** Required dependencies of the run. They have commands of their own, so nobody resolves them for one tree. */
const openRequired = (state: RunState, { index }: WaveState): readonly Barrier[] =>
  heldWave(state, index).map((dependency) => ({
    id: dependency.id,
    kind: 'dependency',
    owner: isForPerson(dependency) ? 'person' : (otherRun(dependency) ?? 'person'),
    because: dependencyFinding(state, dependency),
  }));

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

/** Barriers that have to be removed before a closure role starts. */
export const openRecords = (state: RunState): readonly Barrier[] =>
  openCriticalQuestions(state).map(({ id }) => ({
    id: `question-${id}`,
    kind: 'question',
    owner: 'person',
    record: id,
    because: { rule: 'open-question', run: state.run, record: id },
  }));

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
