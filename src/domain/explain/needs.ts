import { present } from '../base/result.ts';
import { type BoardRecord, isOfAgent, recordById } from '../board/board.ts';
import { openToPerson } from '../board/board-requests.ts';
import { type Barrier, barriersOfRun } from '../closure/barriers.ts';
import { heldLanding, heldWave, isForPerson, openDebts } from '../dependencies/blocks.ts';
import type { Dependency } from '../dependencies/dependency.ts';
import { meetingLanding } from '../dependencies/link.ts';
import { isBeingResolved } from '../derived/derive-resolver.ts';
import { isVoid } from '../derived/derived-tasks.ts';
import { dueEnding } from '../landing/due-ending.ts';
import { openUndo } from '../landing/landing-queue.ts';
import { plannedById } from '../plan/plan.ts';
import { unprovenToLand } from '../proofs/open-bundles.ts';
import { isOver, runSpend, taskSpend } from '../run/costs.ts';
import { currentWave, plannedStates, type RunState, tasksOfWave } from '../run/run.ts';
import { blockingNeed, isBlocked } from '../run/schedule.ts';
import { isResolved, isSettled, liveAttempt, type TaskState } from '../run/task.ts';
import { type Advice, adviceFor, type Cause } from './advice.ts';

/** Something that only a person can resolve, in words. */
export type Need = {
  readonly kind: NeedKind;
  readonly task: string | null;
  /** The record of the board that it is about. */
  readonly record?: string;
  /** The id of the barrier or dependency that it is about. */
  readonly barrier?: string;
} & Advice;
export type NeedKind = Cause['kind'];

/**
 * Returns what a run needs from people; empty while it continues without them. A run that has ended, also an abandoned one, keeps its
 * open questions: they outlive it. An abandoned run also keeps an undo that could not continue.
 */
export const needsOf = (state: RunState): readonly Need[] =>
  causesOf(state).map((cause) => ({ kind: cause.kind, ...subjectOf(cause), ...adviceFor(state, cause) }));

function subjectOf(cause: Cause): Pick<Need, 'task' | 'record' | 'barrier'> {
  if (cause.kind === 'requires' || cause.kind === 'dependency') return { task: null, barrier: cause.dependency.id };
  if (cause.kind === 'barrier') return { task: cause.task ?? null, barrier: cause.barrier.id };
  if (cause.kind === 'held') return { task: cause.task, ...present({ barrier: cause.contract }) };
  if (cause.kind !== 'question') return { task: ('task' in cause && cause.task) || null };
  const { from, id } = cause.record;
  return { task: isOfAgent(from) ? from.task : null, record: id };
}

function causesOf(state: RunState): readonly Cause[] {
  const halts = modeCauses(state);
  const landing: readonly Cause[] =
    state.landing.status === 'refused' ? [{ kind: 'landing', because: state.landing.because }] : [];
  const barriers = barriersOf(state);
  const contracts = new Map(
    barriers.flatMap(({ kind, task, id }) => (kind === 'contract' && task ? [[task, id]] : [])),
  );
  const asked = askedOfPeople(state, barriers);
  const ofBarriers = new Set(barriers.map(({ record }) => record));
  const isBarrier = ({ id }: BoardRecord): boolean => ofBarriers.has(id);
  const questions = questionCauses(asked);
  if (state.ended === 'abandoned') return [...(openUndo(state) === null ? [] : halts), ...questions];
  if (state.ended !== null)
    return [...(state.mode.mode === 'halted' ? halts : landing), ...barriers.flatMap(barrierCause), ...questions];
  const tasks = Object.values(state.tasks);
  return [
    ...halts,
    ...providerCauses(state),
    ...tapCauses(state),
    ...budgetCauses(state),
    ...questionCauses(asked.filter(isBarrier)),
    ...tasks.flatMap((task) => taskCause(state, task, contracts.get(task.id)) ?? []),
    ...landing,
    ...barriers.flatMap(barrierCause),
    ...dependencyCauses(state),
    ...tasks.flatMap((task) => scopeCauses(state, task)),
    ...questionCauses(asked.filter((record) => !isBarrier(record))),
  ];
}

/** Records for people, and those for tasks that no agent settles any more. */
function askedOfPeople(state: RunState, barriers: readonly Barrier[]): readonly BoardRecord[] {
  const open = openToPerson(state);
  const known = new Set(open.map(({ id }) => id));
  const left = barriers.flatMap(({ owner, record }) =>
    owner === 'person' && record !== undefined && !known.has(record) ? (recordById(state, record) ?? []) : [],
  );
  return [...open, ...left];
}

const questionCauses = (records: readonly BoardRecord[]): readonly Cause[] =>
  records.map((record) => ({ kind: 'question', record }));

/** Everything that keeps the run from going on. After its end: what keeps work from landing that somebody asked to land. */
export function barriersOf(state: RunState): readonly Barrier[] {
  const { ended, taps } = state;
  return ended === null || (ended === 'done' && taps.land?.status === 'approved') ? barriersOfRun(state) : [];
}

/** Questions and dependencies are listed as such, and exit contracts with their held tasks. */
const barrierCause = (barrier: Barrier): readonly Cause[] =>
  barrier.owner !== 'person' || barrier.record !== undefined || ['contract', 'dependency'].includes(barrier.kind)
    ? []
    : [{ kind: 'barrier', ...present({ task: barrier.task }), barrier }];

/** A run waits for another one only when it has nothing else to do. What it owes matters to a person only at its end. */
function dependencyCauses(state: RunState): readonly Cause[] {
  const wave = currentWave(state);
  const tasks = wave === undefined ? [] : tasksOfWave(state, wave.index);
  const isIdle = tasks.every((task) => isSettled(task) || isBlocked(state, task));
  const held = wave === undefined ? heldLanding(state) : heldWave(state, wave.index);
  const isOver = dueEnding(state) !== null;
  return [
    ...held.flatMap((dependency): readonly Cause[] =>
      isForPerson(dependency) ? [{ kind: 'dependency', dependency }] : isIdle ? [{ kind: 'requires', dependency }] : [],
    ),
    ...openDebts(state).flatMap((dependency): readonly Cause[] =>
      (isOver && !isMet(state, dependency)) || dependency.status === 'unmet'
        ? [{ kind: 'dependency', dependency }]
        : [],
    ),
  ];
}

/** Its own landing meets the debt; the fact follows. */
const isMet = (state: RunState, { branch = '', task }: Dependency): boolean =>
  meetingLanding(state, branch, task) !== null;

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
    // a refused landing and a lost proof have advice of their own
    if (name === 'land' && (state.landing.status === 'refused' || unprovenToLand(state).length > 0)) return [];
    return [{ kind: name === 'land' ? 'land' : 'approve', tap, tasks }];
  });
}

/** The budget of the run matters only while a task is waiting to start. */
function budgetCauses(state: RunState): readonly Cause[] {
  const spend = runSpend(state);
  const isWaiting = plannedStates(state).some(({ progress }) => progress.status === 'waiting');
  return isOver(spend) && isWaiting ? [{ kind: 'budget', spend }] : [];
}

/** `contract`: the barrier that the task is, when only its exit contract holds it. */
function taskCause(state: RunState, task: TaskState, contract: string | undefined): Cause | null {
  const { id, progress } = task;
  // a closure role that has ended is a barrier
  if (task.about !== undefined && isSettled(task)) return null;
  if (isVoid(state, id) || isHandled(state, task)) return null;
  if (progress.status === 'held') return { kind: 'held', task: id, hold: progress.hold, ...present({ contract }) };
  if (progress.status === 'failed') return { kind: 'failed', task: id, failed: progress };
  const isOpen = task.wave === currentWave(state)?.index || task.about?.landing === true;
  if (progress.status !== 'waiting' || !isOpen) return null;
  const spend = taskSpend(state, task);
  if (isOver(spend)) return { kind: 'budget', task: id, spend };
  if (progress.next.halt !== null) return { kind: 'launch', task: id, because: progress.next.halt };
  const need = blockingNeed(state, task);
  return need !== null && state.tasks[need]?.progress.status === 'dropped' ? { kind: 'blocked', task: id, need } : null;
}

/** A resolver works on it, or on the task that it was held for. */
function isHandled(state: RunState, task: TaskState): boolean {
  const { progress } = task;
  const need = progress.status === 'held' && progress.hold.because === 'needs' ? state.tasks[progress.hold.task] : task;
  return need !== undefined && isBeingResolved(state, need);
}

function scopeCauses({ derived }: RunState, task: TaskState): readonly Cause[] {
  // people grant nothing to a derived task
  if (derived?.[task.id] !== undefined) return [];
  const requests = liveAttempt(task)?.requested ?? [];
  return requests.length === 0 ? [] : [{ kind: 'scope', task: task.id, requests }];
}
