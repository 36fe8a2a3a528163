import { isOfAgent } from '../board/board.ts';
import { openToPerson } from '../board/board-requests.ts';
import { hasKept } from '../kept/discard.ts';
import { openUndo } from '../landing/landing-queue.ts';
import { isOver, runSpend, taskSpend } from '../run/costs.ts';
import { currentWave, plannedStates, type RunState } from '../run/run.ts';
import { blockingNeed } from '../run/schedule.ts';
import { isResolved, liveAttempt, type TaskState } from '../run/task.ts';
import {
  toldOfAsking,
  toldOfDroppedNeed,
  toldOfFailure,
  toldOfLanding,
  toldOfLaunch,
  toldOfLogin,
  toldOfMode,
  toldOfQuestion,
  toldOfRunBudget,
  toldOfShortage,
  toldOfTap,
  toldOfTaskBudget,
} from './advice.ts';
import { toldOfHold } from './hold.ts';
import type { Advice } from './text.ts';

/** Something that only a person can bring on, in the words that everybody tells it with. */
export type Need = {
  readonly kind: NeedKind;
  readonly task: string | null;
  /** Of the board, when it is about one. */
  readonly record?: string;
} & Advice;
export type NeedKind =
  | 'approve'
  | 'land'
  | 'held'
  | 'failed'
  | 'blocked'
  | 'launch'
  | 'paused'
  | 'stopped'
  | 'halted'
  | 'disk'
  | 'login'
  | 'budget'
  | 'scope'
  | 'question'
  | 'landing';

/**
 * What a run waits for from people; empty while it goes on by itself. Of a run that has ended, open questions are left; of one that
 * was given up, an undo that could not go on.
 */
export function needsOf(state: RunState): readonly Need[] {
  if (state.ended === 'abandoned') return openUndo(state) === null ? [] : modeNeeds(state);
  if (state.ended !== null)
    return [...(state.mode.mode === 'halted' ? modeNeeds(state) : landingNeeds(state)), ...questionNeeds(state)];
  return [
    ...modeNeeds(state),
    ...diskNeeds(state),
    ...loginNeeds(state),
    ...tapNeeds(state),
    ...budgetNeeds(state),
    ...taskNeeds(state),
    ...landingNeeds(state),
    ...scopeNeeds(state),
    ...questionNeeds(state),
  ];
}

const ofRun = (kind: NeedKind, told: Advice): Need => ({ kind, task: null, ...told });

function modeNeeds(state: RunState): readonly Need[] {
  const { mode } = state.mode;
  const told = toldOfMode(state, state.mode);
  return mode === 'active' || told === null ? [] : [ofRun(mode, told)];
}

const diskNeeds = ({ shortage }: RunState): readonly Need[] =>
  shortage === null ? [] : [ofRun('disk', toldOfShortage(shortage))];

function loginNeeds(state: RunState): readonly Need[] {
  return Object.entries(state.providers).flatMap(([provider, pause]) =>
    pause.status !== 'paused' || pause.until !== null ? [] : [ofRun('login', toldOfLogin(state, provider, pause))],
  );
}

function tapNeeds(state: RunState): readonly Need[] {
  const waiting = plannedStates(state).filter((task) => !isResolved(task)).length;
  return Object.entries(state.taps).flatMap(([tap, decided]): readonly Need[] => {
    if (decided?.status !== 'pending' && decided?.status !== 'held') return [];
    // why the last one was refused says what to do
    if (tap === 'land' && state.landing.status === 'refused') return [];
    const name = tap === 'land' ? 'land' : 'start';
    return [ofRun(name === 'land' ? 'land' : 'approve', toldOfTap(state, { name, state: decided }, waiting))];
  });
}

/** While it keeps something from starting. */
function budgetNeeds(state: RunState): readonly Need[] {
  const spend = runSpend(state);
  const waits = plannedStates(state).some(({ progress }) => progress.status === 'waiting');
  return isOver(spend) && waits ? [ofRun('budget', toldOfRunBudget(state, spend))] : [];
}

const taskNeeds = (state: RunState): readonly Need[] =>
  Object.values(state.tasks).flatMap((task) => {
    const found = taskNeed(state, task, `${state.run}/${task.id}`);
    return found === null ? [] : [{ task: task.id, ...found }];
  });

function taskNeed(state: RunState, task: TaskState, subject: string): Omit<Need, 'task'> | null {
  const { progress } = task;
  if (progress.status === 'held') return { kind: 'held', ...toldOfHold(state, progress.hold, subject) };
  if (progress.status === 'failed')
    return { kind: 'failed', ...toldOfFailure(progress, subject, hasKept(state, progress.attempt.id)) };
  if (progress.status !== 'waiting' || task.wave !== currentWave(state)?.index) return null;
  const spend = taskSpend(state, task);
  if (isOver(spend)) return { kind: 'budget', ...toldOfTaskBudget(state, spend, subject) };
  if (progress.next.halt !== null) return { kind: 'launch', ...toldOfLaunch(state, progress.next.halt, subject) };
  const need = blockingNeed(state, task);
  return need !== null && state.tasks[need]?.progress.status === 'dropped'
    ? { kind: 'blocked', ...toldOfDroppedNeed(need, subject) }
    : null;
}

const scopeNeeds = (state: RunState): readonly Need[] =>
  Object.values(state.tasks).flatMap((task): readonly Need[] => {
    const { id } = task;
    const requested = liveAttempt(task)?.requested ?? [];
    return requested.length === 0
      ? []
      : [{ kind: 'scope', task: id, ...toldOfAsking(requested, `${state.run}/${id}`) }];
  });

/** Only a critical question holds anything up: the landing. */
const questionNeeds = (state: RunState): readonly Need[] =>
  openToPerson(state).map((record) => ({
    kind: 'question',
    task: isOfAgent(record.from) ? record.from.task : null,
    record: record.id,
    ...toldOfQuestion(state, record),
  }));

const landingNeeds = (state: RunState): readonly Need[] =>
  state.landing.status === 'refused' ? [ofRun('landing', toldOfLanding(state, state.landing))] : [];
