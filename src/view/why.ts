import type { TaskId } from '../domain/base/ids.ts';
import { shellPath } from '../domain/base/shell-word.ts';
import { toldOfFailure } from '../domain/explain/advice.ts';
import { toldOfHold } from '../domain/explain/hold.ts';
import { toldOfFailedRun, toldOfNoCoordinator } from '../domain/explain/machine.ts';
import { type Need, needsOf } from '../domain/explain/needs.ts';
import type { Advice } from '../domain/explain/text.ts';
import { hasKept } from '../domain/kept/discard.ts';
import { isPartlyLanded } from '../domain/landing/land-some.ts';
import { openUndo } from '../domain/landing/landing-queue.ts';
import { leftToLand } from '../domain/landing/undo.ts';
import { hasMerged, plannedStates, type RunState, tasksOfWave } from '../domain/run/run.ts';
import { isBlocked, isLive } from '../domain/run/schedule.ts';
import { isSettled, type TaskState } from '../domain/run/task.ts';
import { waitOf } from '../domain/run/waiting.ts';
import { doing } from './doing.ts';
import { endText, needSince, type RunView, undoText } from './run-view.ts';
import { files } from './task-line.ts';
import { age, hasBeen, lasting } from './times.ts';
import { whyWaiting } from './why-waiting.ts';

/** The one fact that keeps a run or task from going on, how long it has, what is safe, and what to type next. */
export type Why = { readonly sentence: string } & Omit<Advice, 'message'>;

/** What has to be known beside the run itself. */
export type Around = {
  /** The run that moves the branch before this one does. */
  readonly ahead: string | null;
  /** As many attempts are at work in the repository as `machine.agents` allows; null while there is room, or it is not known. */
  readonly full?: number | null;
  /** False: something is to be done, and no coordinator is there to do it. */
  readonly attended: boolean;
  /** Of workspaces that are still being made, how far they are. */
  readonly copying?: readonly string[];
};

export function whyRun(view: RunView, around: Around): Why {
  const { state } = view;
  const [need] = blockingNeeds(state);
  const undo = undoText(view);
  if (undo !== null && need === undefined)
    return around.attended
      ? why(
          `undo: ${undo}`,
          `tidegate watch ${state.run}`,
          `${state.target.branch} moves only when the checks have passed`,
        )
      : unattended(view);
  if (state.ended !== null && undo === null) return whyEnded(view, state.ended);
  if (!around.attended) return unattended(view);
  if (need !== undefined) {
    const subject = need.task === null ? state.run : `${state.run}/${need.task}`;
    return toldToWait(view, subject, need);
  }
  if (around.ahead !== null)
    return why(
      `${state.run} waits to land on ${state.target.branch}: ${around.ahead} goes first`,
      `tidegate why ${around.ahead}`,
      'its turn comes by itself',
    );
  const stalled = around.full == null ? undefined : firstWithoutPlace(state);
  if (stalled !== undefined) return whyTask(view, stalled.id, around);
  const { sentence, command } = doing(view);
  return why(sentence, command);
}

/** Of a run of which nothing is at work: the first task that only other runs keep from starting. */
const firstWithoutPlace = (state: RunState): TaskState | undefined =>
  Object.values(state.tasks).some(isLive)
    ? undefined
    : plannedStates(state).find(
        ({ progress, ...task }) =>
          progress.status === 'waiting' && waitOf(state, { ...task, progress }).on === 'nothing',
      );

/** A person has to do something before it goes on. */
function toldToWait(view: RunView, subject: string, need: Need): Why {
  const lasts = lasting(needSince(view, need), view.now);
  return told(`${subject} ${hasBeen('waiting', lasts)} for you${lasts}`, need);
}

export function whyTask(view: RunView, id: TaskId, around: Around): Why {
  const { state, now, times } = view;
  const task = state.tasks[id];
  if (task === undefined) return why(`${state.run} has no task ${id}`, `tidegate show ${state.run}`);
  if (openUndo(state)?.task === id) return whyRun(view, around);
  const subject = `${state.run}/${id}`;
  const { progress } = task;
  const since = times.tasks[id] ?? null;
  const lasts = lasting(since, now);
  const before = since === null ? '' : ` ${age(since, now)} ago`;
  switch (progress.status) {
    case 'waiting':
      if (state.ended !== null) return notStarted(view, subject, state.ended);
      if (!around.attended) return because(subject, whyRun(view, around));
      return whyWaiting(view, { ...task, progress }, around, () => because(subject, whyRun(view, around)));
    case 'launching':
    case 'running':
    case 'ended':
      return around.attended
        ? whyAtWork(view, task, lasts, before)
        : because(`${subject} ${hasBeen('running', lasts)}${lasts}`, unattended(view), '');
    case 'ready':
      return whyReady(view, task, lasts, around);
    case 'held':
      return told(`${subject} ${hasBeen('held', lasts)}${lasts}`, toldOfHold(state, progress.hold, subject));
    case 'failed':
      return told(`${subject} failed${before}`, toldOfFailure(progress, subject, hasKept(state, progress.attempt.id)));
    case 'done':
      return why(
        `${subject} was done${before}: ${task.readOnly ? 'it is read-only, and its handoff is its result' : 'it changed nothing, so there is nothing to merge'}`,
        `tidegate show ${subject}`,
      );
    case 'merged': {
      const merged = `${subject} was merged${before} as ${progress.commit.slice(0, 8)}, ${files(progress.snapshot.diff.length)}; ${whereabouts(state, id)}`;
      const refusal = needsOf(state).find(({ kind }) => kind === 'landing');
      if (refusal !== undefined && leftToLand(state).includes(id)) return told(merged, refusal);
      return why(merged, isLeftOut(state, id) ? `tidegate land ${state.run}` : `tidegate diff ${subject}`);
    }
    case 'dropped':
      return why(
        `${subject} was dropped${before} by ${progress.by.who}`,
        `tidegate rescue ${subject}`,
        'its work is kept',
      );
  }
}

type AtWork = 'launching' | 'running' | 'ended';

function whyAtWork(view: RunView, task: TaskState, lasts: string, before: string): Why {
  const subject = `${view.state.run}/${task.id}`;
  const asks = needsOf(view.state).find((need): need is Need => need.task === task.id);
  if (asks !== undefined) return told(`${subject} ${hasBeen('running', lasts)}${lasts}`, asks);
  const words: Record<AtWork, string> = {
    launching: `is starting${lasts}: its workspace is made and its fence is tested`,
    running: `${hasBeen('running', lasts)}${lasts}${task.launches > 1 ? `, attempt ${task.launches}` : ''}`,
    ended: `ended${before}, and its snapshot is judged`,
  };
  const status = task.progress.status as AtWork;
  return why(
    `${subject} ${words[status]}`,
    status === 'ended' ? `tidegate show ${subject}` : `tidegate logs -f ${subject}`,
  );
}

/** Whether it waits for the others of its wave, for what it stands on, or is being integrated. */
function whyReady(view: RunView, task: TaskState, lasts: string, around: Around): Why {
  const { state } = view;
  const subject = `${state.run}/${task.id}`;
  const others = tasksOfWave(state, task.wave).filter((other) => !isSettled(other) && !isBlocked(state, other));
  const open = state.plan.partial === 'hold' ? tasksOfWave(state, task.wave).filter(isOpen) : others;
  const [first] = open;
  if (first !== undefined && state.ended === null && around.attended)
    return why(
      `${subject} is ready${lasts}, and is merged when ${open.map(({ id }) => id).join(', ')} of its wave ${open.length === 1 ? 'is' : 'are'} through`,
      `tidegate why ${state.run}/${first.id}`,
    );
  const whole = whyRun(view, around);
  return { ...whole, sentence: `${subject} is ready${lasts}, and is merged next; ${whole.sentence}` };
}

const isOpen = ({ progress }: TaskState): boolean => !['ready', 'merged', 'done', 'dropped'].includes(progress.status);

/** Others of its run have landed without it, and nothing more happens by itself. */
const isLeftOut = (state: RunState, id: TaskId): boolean =>
  state.ended !== null && isPartlyLanded(state) && leftToLand(state).includes(id);

function whereabouts(state: RunState, id: TaskId): string {
  const { landing, target, undo } = state;
  if (undo.standing === 'undone' || undo.tasks.includes(id)) return `it was taken back out of ${target.branch}`;
  return landing.status === 'landed' && !leftToLand(state).includes(id)
    ? `it has landed on ${landing.branch}`
    : `${target.branch} does not have it yet`;
}

/** A question that outlives its run keeps nothing from happening. */
const blockingNeeds = (state: RunState): readonly Need[] =>
  state.ended === null ? needsOf(state) : needsOf(state).filter(({ kind }) => kind !== 'question');

/** Nothing to do, but something to look at. */
function whyEnded(view: RunView, ended: NonNullable<RunState['ended']>): Why {
  const { state, times, now } = view;
  const ago = age(times.ended, now);
  const sentence = `${state.run} ended${ago === '' ? '' : ` ${ago} ago`}: ${endText(state)}`;
  const [need] = blockingNeeds(state);
  if (need !== undefined) return toldToWait(view, state.run, need);
  const look = `tidegate show ${state.run}`;
  switch (ended) {
    case 'landed':
      return why(sentence, look);
    case 'done':
      return hasMerged(state) && (state.landing.status === 'none' || isPartlyLanded(state))
        ? why(sentence, `tidegate land ${state.run}`)
        : why(sentence, look);
    case 'rejected':
      return why(sentence, `tidegate run ${shellPath(state.planFile)}`, 'no agent was started');
    case 'abandoned':
      return why(sentence, `tidegate rescue ${state.run}`, 'its work is kept');
    case 'failed':
      return told(sentence, toldOfFailedRun(state));
  }
}

const notStarted = (view: RunView, subject: string, ended: NonNullable<RunState['ended']>): Why =>
  because(`${subject} was never started`, whyEnded(view, ended), '');

function unattended({ state, times, now }: RunView): Why {
  const lasts = lasting(times.last, now);
  return told(`${state.run} ${hasBeen('stuck', lasts)}${lasts}`, toldOfNoCoordinator(state));
}

const because = (subject: string, whole: Why, verb = ' waits'): Why => ({
  ...whole,
  sentence: `${subject}${verb}: ${whole.sentence}`,
});

const why = (sentence: string, command: string, safe = ''): Why => ({ sentence: `${sentence}.`, safe, command });

function told(subject: string, { message, ...rest }: Advice): Why {
  const { safe, command, lines, first } = rest;
  return {
    sentence: `${subject}: ${message}.`,
    safe,
    ...(lines === undefined ? {} : { lines }),
    ...(first === undefined ? {} : { first }),
    command,
  };
}
