import { present } from '../base/result.ts';
import { type BoardRecord, isOfAgent, recordById } from '../board/board.ts';
import { openToPerson } from '../board/board-requests.ts';
import { type Barrier, openBarriers } from '../closure/barriers.ts';
import { openUndo } from '../landing/landing-queue.ts';
import { plannedById } from '../plan/plan.ts';
import { isOver, runSpend, taskSpend } from '../run/costs.ts';
import { currentWave, plannedStates, type RunState } from '../run/run.ts';
import { blockingNeed } from '../run/schedule.ts';
import { isResolved, isSettled, liveAttempt, type TaskState } from '../run/task.ts';
import { type Advice, adviceFor, type Cause } from './advice.ts';

/** Something that only a person can resolve, in words. */
export type Need = {
  readonly kind: NeedKind;
  readonly task: string | null;
  /** The record of the board that it is about. */
  readonly record?: string;
  /** The id of the barrier that it is about. */
  readonly barrier?: string;
} & Advice;
export type NeedKind = Cause['kind'];

/**
 * Returns what a run needs from people; empty while it continues without them. A run that has ended keeps its open questions; an abandoned one
 * keeps an undo that could not continue.
 */
export const needsOf = (state: RunState): readonly Need[] =>
  causesOf(state).map((cause) => ({ kind: cause.kind, ...subjectOf(cause), ...adviceFor(state, cause) }));

function subjectOf(cause: Cause): Pick<Need, 'task' | 'record' | 'barrier'> {
  if (cause.kind === 'barrier') return { task: cause.task ?? null, barrier: cause.barrier.id };
  if (cause.kind !== 'question') return { task: ('task' in cause && cause.task) || null };
  const { from, id } = cause.record;
  return { task: isOfAgent(from) ? from.task : null, record: id };
}

function causesOf(state: RunState): readonly Cause[] {
  const halts = modeCauses(state);
  const landing: readonly Cause[] =
    state.landing.status === 'refused' ? [{ kind: 'landing', because: state.landing.because }] : [];
  const barriers = barriersOf(state);
  const asked = askedOfPeople(state, barriers);
  const isBarrier = ({ id }: BoardRecord): boolean => barriers.some(({ record }) => record === id);
  const questions = questionCauses(asked);
  if (state.ended === 'abandoned') return openUndo(state) === null ? [] : halts;
  if (state.ended !== null) return [...(state.mode.mode === 'halted' ? halts : landing), ...questions];
  const tasks = Object.values(state.tasks);
  return [
    ...halts,
    ...providerCauses(state),
    ...tapCauses(state),
    ...budgetCauses(state),
    ...questionCauses(asked.filter(isBarrier)),
    ...tasks.flatMap((task) => taskCause(state, task) ?? []),
    ...landing,
    ...barriers.flatMap(barrierCause),
    ...tasks.flatMap(scopeCauses),
    ...questionCauses(asked.filter((record) => !isBarrier(record))),
  ];
}

/** Records for people, and those for tasks that no agent settles any more. */
function askedOfPeople(state: RunState, barriers: readonly Barrier[]): readonly BoardRecord[] {
  const open = openToPerson(state);
  const left = barriers.flatMap(({ owner, record }) =>
    owner === 'person' && record !== undefined && !open.some(({ id }) => id === record)
      ? (recordById(state, record) ?? [])
      : [],
  );
  return [...open, ...left];
}

const questionCauses = (records: readonly BoardRecord[]): readonly Cause[] =>
  records.map((record) => ({ kind: 'question', record }));

/** Everything that keeps the open wave from closing. */
export function barriersOf(state: RunState): readonly Barrier[] {
  const wave = currentWave(state);
  return state.ended !== null || wave === undefined ? [] : openBarriers(state, wave);
}

/** Questions are listed as such. */
const barrierCause = (barrier: Barrier): readonly Cause[] =>
  barrier.owner !== 'person' || barrier.record !== undefined
    ? []
    : [{ kind: 'barrier', ...present({ task: barrier.task }), barrier }];

function modeCauses({ mode, shortage, ended }: RunState): readonly Cause[] {
  const disk: readonly Cause[] =
    shortage === null || ended !== null ? [] : [{ kind: 'disk', because: shortage.because }];
  switch (mode.mode) {
    case 'active':
      return disk;
    case 'paused':
    case 'stopped':
      return [{ kind: mode.mode, who: mode.who }, ...disk];
    case 'halted':
      return [{ kind: 'halted', because: mode.because }, ...disk];
  }
}

const providerCauses = ({ providers }: RunState): readonly Cause[] =>
  Object.entries(providers).flatMap(([provider, pause]): readonly Cause[] =>
    pause.status !== 'paused' || pause.until !== null ? [] : [{ kind: 'login', provider, pause }],
  );

function tapCauses(state: RunState): readonly Cause[] {
  const planned = plannedStates(state).filter(({ id }) => plannedById(state.plan, id)?.closes === undefined);
  const tasks = planned.filter((task) => !isResolved(task)).length;
  return Object.entries(state.taps).flatMap(([name, tap]): readonly Cause[] => {
    if (tap?.status !== 'pending' && tap?.status !== 'held') return [];
    // a refused landing has advice of its own
    if (name === 'land' && state.landing.status === 'refused') return [];
    return [{ kind: name === 'land' ? 'land' : 'approve', tap, tasks }];
  });
}

/** The budget of the run matters only while a task is waiting to start. */
function budgetCauses(state: RunState): readonly Cause[] {
  const spend = runSpend(state);
  const isWaiting = plannedStates(state).some(({ progress }) => progress.status === 'waiting');
  return isOver(spend) && isWaiting ? [{ kind: 'budget', spend }] : [];
}

function taskCause(state: RunState, task: TaskState): Cause | null {
  const { id, progress } = task;
  // a closure role that has ended is a barrier
  if (task.about !== undefined && isSettled(task)) return null;
  if (progress.status === 'held') return { kind: 'held', task: id, hold: progress.hold };
  if (progress.status === 'failed') return { kind: 'failed', task: id, failed: progress };
  const isOpen = task.wave === currentWave(state)?.index || task.about?.landing === true;
  if (progress.status !== 'waiting' || !isOpen) return null;
  const spend = taskSpend(state, task);
  if (isOver(spend)) return { kind: 'budget', task: id, spend };
  if (progress.next.halt !== null) return { kind: 'launch', task: id, because: progress.next.halt };
  const need = blockingNeed(state, task);
  return need !== null && state.tasks[need]?.progress.status === 'dropped' ? { kind: 'blocked', task: id, need } : null;
}

function scopeCauses(task: TaskState): readonly Cause[] {
  const requests = liveAttempt(task)?.requested ?? [];
  return requests.length === 0 ? [] : [{ kind: 'scope', task: task.id, requests }];
}
