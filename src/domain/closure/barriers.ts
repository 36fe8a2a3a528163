import type { TaskId } from '../base/ids.ts';
import { openCriticalQuestions } from '../board/board-requests.ts';
import type { Finding } from '../findings/finding.ts';
import { closureOf, type PlannedTask } from '../plan/plan.ts';
import { coreOf, type Tip } from '../run/round.ts';
import type { RunState, WaveState } from '../run/run.ts';
import { handoffOf, type TaskState } from '../run/task.ts';
import { judgeReport, type RoleReport, reportMissing } from './report.ts';
import { judgesWholeTree } from './roles.ts';

/** Something that keeps a wave from closing. `id` names it in commands. */
export type Barrier = {
  readonly id: string;
  readonly kind: BarrierKind;
  /** The task or closure role that can remove it, or a person. */
  readonly owner: TaskId | 'person';
  /** The closure role or task that it is about; absent for a record of the board. */
  readonly task?: TaskId;
  /** The record of the board that it is about. */
  readonly record?: string;
  readonly because: Finding;
};

/** In the order in which people are asked about them. */
export const barrierKinds = ['question', 'report'] as const;
export type BarrierKind = (typeof barrierKinds)[number];

/**
 * Lists everything that keeps the wave from closing, in the order in which it is to be removed. Empty for a wave without closure
 * roles, which closes when its tasks are resolved.
 */
export function openBarriers(state: RunState, wave: WaveState): readonly Barrier[] {
  if (closureOf(state.plan, wave.index).length === 0) return [];
  return [...openRecords(state), ...openReports(state, wave)];
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
    const owner = needsPerson(status) ? 'person' : role.id;
    return status.because.map((because) => ({ id: role.id, kind: 'report', owner, task: role.id, because }));
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
  round: Parameters<typeof coreOf>[0],
): RoleStatus {
  const isWhole = role.closes !== undefined && judgesWholeTree(role.closes);
  const subject = isWhole ? round.tip : coreOf(round);
  const { tree } = subject;
  const known = state.tasks[role.id];
  const task = known?.about?.tree === tree ? known : null;
  const isResolved = wave.resolved?.some((one) => one.barrier === role.id && one.tree === tree) === true;
  const report = task === null ? null : reportOf(task);
  const found = report === null ? [reportMissing(role)] : judgeReport(role, report);
  return { subject, task, report, because: isResolved ? [] : found, isResolved };
}

/** The report of a role whose attempt passed its gates. */
function reportOf(task: TaskState): RoleReport | null {
  const isGiven = ['ready', 'done', 'merged'].includes(task.progress.status);
  return isGiven ? (handoffOf(task)?.report ?? null) : null;
}
