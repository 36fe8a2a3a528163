import type { TaskId } from '../domain/base/ids.ts';
import { shellPath } from '../domain/base/safe-text.ts';
import { roleOf } from '../domain/closure/role-state.ts';
import { type Advice, adviceFor } from '../domain/explain/advice.ts';
import { barrierAdvice } from '../domain/explain/barrier-advice.ts';
import { endText, failedRunAdvice, hasStarted } from '../domain/explain/ending.ts';
import { barriersOf, type Need, needsOf } from '../domain/explain/needs.ts';
import { noCoordinatorAdvice } from '../domain/explain/text.ts';
import { isPartlyLanded } from '../domain/landing/land-some.ts';
import { openUndo } from '../domain/landing/landing-queue.ts';
import { leftToLand } from '../domain/landing/undo.ts';
import { unprovenToLand } from '../domain/proofs/open-bundles.ts';
import { hasMerged, plannedStates, type RunState, tasksOfWave } from '../domain/run/run.ts';
import { isBlocked, isLive } from '../domain/run/schedule.ts';
import { isSettled, type TaskState } from '../domain/run/task.ts';
import { waitOf } from '../domain/run/waiting.ts';
import { progressOf } from './progress.ts';
import { needSince, type RunView, undoText } from './run-view.ts';
import { age, fileCount, hasBeen, lackText, lasting, repairText } from './task-view.ts';
import { whyWaiting } from './waiting.ts';

/** The one fact that a run or task is waiting for, its age, what is safe, and the command to run next. */
export type Why = { readonly sentence: string } & Omit<Advice, 'message'>;

/** Facts from outside the run that an explanation needs. */
export type WhyContext = {
  /** The run that moves the branch before this one does. */
  readonly ahead: string | null;
  /** The number of running attempts in the repository, if `machine.agents` allows no more; null or absent while there is room. */
  readonly full?: number | null;
  /** False when there is work to do and no coordinator is running. */
  readonly attended: boolean;
  /** The progress of workspaces that are still being created. */
  readonly copying?: readonly string[];
};

export function whyRun(view: RunView, context: WhyContext): Why {
  const { state } = view;
  const { run, target } = state;
  const [need] = blockingNeeds(state);
  const undo = undoText(view);
  if (undo !== null && need === undefined)
    return context.attended
      ? why(`undo: ${undo}`, `tidegate watch ${run}`, `${target.branch} moves only after the checks pass`)
      : unattended(view);
  if (state.ended !== null && undo === null) return whyEnded(view, state.ended);
  if (!context.attended) return unattended(view);
  if (need?.kind === 'requires') return withAdvice(`${run} is waiting`, need);
  if (need !== undefined) return waitingForYou(view, need.task === null ? run : `${run}/${need.task}`, need);
  if (context.ahead !== null)
    return why(
      `${run} is waiting to land on ${target.branch} after ${context.ahead}`,
      `tidegate why ${context.ahead}`,
      'it continues automatically',
    );
  const stalled = context.full == null ? undefined : firstWithoutSlot(state);
  if (stalled !== undefined) return whyTask(view, stalled.id, context);
  const { sentence, command } = progressOf(view);
  return why(sentence, command);
}

/** The first task that only other runs keep from starting, if no task of this run is active. */
const firstWithoutSlot = (state: RunState): TaskState | undefined =>
  Object.values(state.tasks).some(isLive)
    ? undefined
    : plannedStates(state).find(
        ({ progress, ...task }) =>
          progress.status === 'waiting' && waitOf(state, { ...task, progress }).on === 'nothing',
      );

function waitingForYou(view: RunView, subject: string, need: Need): Why {
  const lasts = lasting(needSince(view, need), view.now);
  return withAdvice(`${subject} ${hasBeen('waiting', lasts)} for you${lasts}`, need);
}

export function whyTask(view: RunView, id: TaskId, context: WhyContext): Why {
  const { state, now, times } = view;
  const task = state.tasks[id];
  if (task === undefined) return why(`${state.run} has no task ${id}`, `tidegate show ${state.run}`);
  if (openUndo(state)?.task === id) return whyRun(view, context);
  const subject = `${state.run}/${id}`;
  const { progress } = task;
  const role = isLive(task) ? null : whyRole(view, task, context);
  if (role !== null) return role;
  const since = times.tasks[id] ?? null;
  const lasts = lasting(since, now);
  const ago = since === null ? '' : ` ${age(since, now)} ago`;
  switch (progress.status) {
    case 'waiting': {
      if (state.ended !== null) return because(`${subject} never started`, whyEnded(view, state.ended));
      const own = context.attended ? whyWaiting(view, { ...task, progress }, context.full ?? null) : null;
      return own ?? because(`${subject} is waiting`, whyRun(view, context));
    }
    case 'launching':
    case 'running':
    case 'ended':
      return context.attended
        ? whyActive(view, task, lasts, ago)
        : because(`${subject} ${hasBeen('running', lasts)}${lasts}`, unattended(view));
    case 'ready':
      return whyReady(view, task, lasts, context);
    case 'held': {
      const maker = repairText(state, task);
      if (maker !== '' && context.attended && state.ended === null)
        return why(
          `${subject} ${hasBeen('held', lasts)}${lasts}; ${maker}`,
          `tidegate why ${state.run}/${maker.split(' ')[0]}`,
        );
      return withAdvice(
        `${subject} ${hasBeen('held', lasts)}${lasts}`,
        adviceFor(state, { kind: 'held', task: id, hold: progress.hold }),
      );
    }
    case 'failed':
      return withAdvice(`${subject} failed${ago}`, adviceFor(state, { kind: 'failed', task: id, failed: progress }));
    case 'done':
      return why(`${subject} finished${ago}: ${doneReason(state, task)}`, `tidegate show ${subject}`);
    case 'merged': {
      const merged = `${subject} was merged${ago} as ${progress.commit.slice(0, 8)} (${fileCount(progress.snapshot)})${progress.through === undefined ? '' : ` with the work of ${progress.through}${lackText(state, task)}`}; ${landingOf(state, id)}`;
      const refusal = needsOf(state).find(({ kind }) => kind === 'landing');
      if (refusal !== undefined && leftToLand(state).includes(id)) return withAdvice(merged, refusal);
      return why(merged, isLeftOut(state, id) ? `tidegate land ${state.run}` : `tidegate diff ${subject}`);
    }
    case 'dropped':
      return why(
        `${subject} was dropped${ago} by ${progress.by.who}`,
        `tidegate rescue ${subject}`,
        'its work is kept',
      );
  }
}

function doneReason(state: RunState, { id, readOnly }: TaskState): string {
  const derived = state.derived?.[id];
  if (derived !== undefined) return `its work is merged for ${derived.standsFor.join(', ')}`;
  return readOnly
    ? 'it is read-only, so its handoff is the result'
    : 'it made no changes, so there is nothing to merge';
}

/** Explains a closure role that is not running. Null for an ordinary task, and for a role that is to start. */
function whyRole(view: RunView, { id, wave }: TaskState, context: WhyContext): Why | null {
  const { state, times, now } = view;
  const role = state.waves[wave] === undefined ? null : roleOf(state, { id, wave });
  if (role === null || state.ended !== null || !context.attended) return null;
  const subject = `${state.run}/${id}`;
  const need = needsOf(state).find(({ kind, task }) => kind === 'barrier' && task === id);
  if (need !== undefined) return waitingForYou(view, subject, need);
  if (role.state === 'waiting' && state.tasks[id]?.about === undefined)
    return because(`${subject} starts after the checks and the roles before it`, whyRun(view, context));
  if (role.state !== 'reported') return null;
  const ago = age(times.tasks[id] ?? null, now);
  return why(`${subject} reported ${role.word}${ago === '' ? '' : ` ${ago} ago`}`, `tidegate show ${subject}`);
}

function whyActive(view: RunView, task: TaskState, lasts: string, ago: string): Why {
  const subject = `${view.state.run}/${task.id}`;
  const need = needsOf(view.state).find((one) => one.task === task.id);
  if (need !== undefined) return withAdvice(`${subject} ${hasBeen('running', lasts)}${lasts}`, need);
  switch (task.progress.status) {
    case 'ended':
      return why(`${subject} ended${ago}, and its snapshot is being judged`, `tidegate show ${subject}`);
    case 'launching':
      return why(
        `${subject} ${hasBeen('starting', lasts)}${lasts}: its workspace and fence are being prepared`,
        `tidegate logs -f ${subject}`,
      );
    default:
      return why(
        `${subject} ${hasBeen('running', lasts)}${lasts}${task.launches > 1 ? ` (attempt ${task.launches})` : ''}`,
        `tidegate logs -f ${subject}`,
      );
  }
}

/** A ready task waits for the others of its wave or for the tasks that it builds on, or is being integrated. */
function whyReady(view: RunView, task: TaskState, lasts: string, context: WhyContext): Why {
  const { state } = view;
  const subject = `${state.run}/${task.id} ${hasBeen('ready', lasts)}${lasts}`;
  const others = tasksOfWave(state, task.wave).filter((other) => !isSettled(other) && !isBlocked(state, other));
  const open = state.plan.partial === 'hold' ? tasksOfWave(state, task.wave).filter(isOpen) : others;
  const [first] = open;
  if (first !== undefined && state.ended === null && context.attended)
    return why(
      `${subject} and will be merged when ${open.map(({ id }) => id).join(', ')} ${open.length === 1 ? 'has' : 'have'} finished`,
      `tidegate why ${state.run}/${first.id}`,
    );
  const run = whyRun(view, context);
  // a contract keeps only its own task from being merged
  const isHeld = barriersOf(state).some(({ kind }) => kind !== 'contract');
  const next = isHeld ? 'will be merged when its wave closes' : 'is merged next';
  return { ...run, sentence: `${subject} and ${next}; ${run.sentence}` };
}

const isOpen = ({ progress }: TaskState): boolean => !['ready', 'merged', 'done', 'dropped'].includes(progress.status);

/** Other tasks of the run have landed without it, and nothing more happens automatically. */
const isLeftOut = (state: RunState, id: TaskId): boolean =>
  state.ended !== null && isPartlyLanded(state) && leftToLand(state).includes(id);

function landingOf(state: RunState, id: TaskId): string {
  const { landing, target, undo } = state;
  if (undo.status === 'undone' || undo.tasks.includes(id)) return `it was undone on ${target.branch}`;
  return landing.status === 'landed' && !leftToLand(state).includes(id)
    ? `it has landed on ${landing.branch}`
    : `it has not landed on ${target.branch} yet`;
}

/** An open question blocks nothing after its run has ended. */
const blockingNeeds = (state: RunState): readonly Need[] =>
  state.ended === null ? needsOf(state) : needsOf(state).filter(({ kind }) => kind !== 'question');

function whyEnded(view: RunView, ended: NonNullable<RunState['ended']>): Why {
  const { state, times, now } = view;
  const [need] = blockingNeeds(state);
  if (need !== undefined) return waitingForYou(view, state.run, need);
  const elapsed = age(times.ended, now);
  const sentence = `${state.run} ended${elapsed === '' ? '' : ` ${elapsed} ago`}: ${endText(state)}`;
  switch (ended) {
    case 'landed':
      return why(sentence, `tidegate show ${state.run}`);
    case 'done': {
      const [lost] = unprovenToLand(state);
      if (lost !== undefined && state.undo.status !== 'undone') return withAdvice(sentence, barrierAdvice(state, lost));
      const canLand = hasMerged(state) && (state.landing.status === 'none' || isPartlyLanded(state));
      return why(sentence, `tidegate ${canLand ? 'land' : 'show'} ${state.run}`);
    }
    case 'rejected':
      return why(
        sentence,
        `tidegate run ${shellPath(state.planFile)}`,
        hasStarted(state) ? `its work is kept: tidegate rescue ${state.run}` : 'no agent was started',
      );
    case 'abandoned':
      return why(sentence, `tidegate rescue ${state.run}`, 'its work is kept');
    case 'failed':
      return withAdvice(sentence, failedRunAdvice(state));
  }
}

function unattended({ state, times, now }: RunView): Why {
  const lasts = lasting(times.last, now);
  return withAdvice(`${state.run} ${hasBeen('stuck', lasts)}${lasts}`, noCoordinatorAdvice(state.run));
}

const because = (subject: string, run: Why): Why => ({ ...run, sentence: `${subject}: ${run.sentence}` });

const why = (sentence: string, command: string, safe = ''): Why => ({ sentence: `${sentence}.`, safe, command });

const withAdvice = (subject: string, { message, safe, lines, first, command }: Advice): Why => ({
  sentence: `${subject}: ${message}.`,
  safe,
  ...(lines === undefined ? {} : { lines }),
  ...(first === undefined ? {} : { first }),
  command,
});
