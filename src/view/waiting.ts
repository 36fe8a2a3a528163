import { isPaused, otherAgent, providerOf } from '../domain/agents/provider-pause.ts';
import { plannedIn } from '../domain/derived/derived-tasks.ts';
import { type Advice, adviceFor, type Cause } from '../domain/explain/advice.ts';
import { waveName } from '../domain/explain/text.ts';
import { plannedById } from '../domain/plan/plan.ts';
import { plannedStates, type RunState } from '../domain/run/run.ts';
import type { TaskState } from '../domain/run/task.ts';
import { type Wait, waitOf } from '../domain/run/waiting.ts';
import type { Text } from '../ports/terminal.ts';
import { troubleText } from './agent-lines.ts';
import type { RunView } from './run-view.ts';
import { lasting, pauseText, taskWords } from './task-view.ts';

type Waiting = TaskState & { readonly progress: { readonly status: 'waiting' } };
type Explanation = { readonly sentence: string } & Omit<Advice, 'message'>;

/**
 * Explains a waiting task by its first obstacle; null when the run itself is the obstacle. `full`: the number of attempts that run in
 * the repository, if `machine.agents` allows no more.
 */
export function whyWaiting(view: RunView, task: Waiting, full: number | null): Explanation | null {
  const { state } = view;
  const subject = `${state.run}/${task.id}`;
  const wait = waitOf(state, task);
  const cause = causeOf(state, wait, task);
  if (cause !== null) {
    const { message, ...rest } = adviceFor(state, cause);
    const isOwn = 'task' in cause && cause.task === task.id;
    const halted = wait.on === 'wave-halt' ? `${waveName(task.wave)} is halted: ${wait.task} ` : '';
    return { sentence: `${subject} ${isOwn ? '' : 'is waiting: '}${halted}${message}.`, ...rest };
  }
  const words = wait.on === 'nothing' && full !== null ? slotWords(full) : waitWords(view, task, wait);
  return words === null ? null : { sentence: `${subject} ${words.text}.`, safe: '', command: words.command };
}

/** The obstacle, if only a person can resolve it. */
function causeOf(state: RunState, wait: Wait, { id }: TaskState): Cause | null {
  switch (wait.on) {
    case 'launch':
      return { kind: 'launch', task: id, because: wait.because };
    case 'wave-halt':
      return { kind: 'launch', task: wait.task, because: wait.because };
    case 'budget':
      return { kind: 'budget', spend: wait.spend, ...(wait.of === 'task' ? { task: id } : {}) };
    case 'need':
      return state.tasks[wait.task]?.progress.status === 'dropped'
        ? { kind: 'blocked', task: id, need: wait.task }
        : null;
    case 'room':
      return { kind: 'disk', because: wait.shortage.because };
    case 'provider':
      return wait.pause.until === null ? { kind: 'login', provider: wait.provider, pause: wait.pause } : null;
    default:
      return null;
  }
}

type WaitWords = { readonly text: string; readonly command: string };

/** Only other runs keep the task from starting. */
const slotWords = (full: number): WaitWords => ({
  text: `is waiting for a slot: ${full === 1 ? '1 attempt is' : `${full} attempts are`} running in this repository, the most that machine.agents allows`,
  command: 'tidegate runs',
});

/** Null when the run itself is the obstacle. */
function waitWords(view: RunView, task: Waiting, wait: Wait): WaitWords | null {
  const { state } = view;
  const why = (id: string | undefined): string => `tidegate why ${id === undefined ? state.run : `${state.run}/${id}`}`;
  const watch = `tidegate watch ${state.run}`;
  const list = (ids: readonly string[]): string => ids.map((id) => withStatus(view, id)).join(', ');
  switch (wait.on) {
    case 'mode':
    case 'launch':
    case 'wave-halt':
    case 'approval':
    case 'budget':
    case 'room':
    case 'run-branch':
      return null;
    case 'wave':
      return { text: `is waiting for ${waveName(wait.wave)}: ${list(wait.open)}`, command: why(wait.open[0]) };
    case 'earlier':
      return {
        text: `is waiting for ${wait.task} of an earlier wave, because their paths overlap`,
        command: why(wait.task),
      };
    case 'need': {
      const locks = wait.locked.length === 0 ? '' : `, which writes ${wait.locked.join(', ')} first`;
      return { text: `is waiting for ${withStatus(view, wait.task)}${locks}`, command: why(wait.task) };
    }
    case 'base-check':
      return {
        text: `is waiting for the check ${wait.check}, which runs on ${state.target.branch} before any task starts`,
        command: watch,
      };
    case 'provider': {
      const pause = pauseOf(state, task, view.now);
      return {
        text: `is waiting: ${pause?.sentence ?? `${wait.provider} is paused`}; it continues automatically`,
        command: pause?.command ?? watch,
      };
    }
    case 'agents':
      return {
        text: `is waiting for a slot: limits.agents allows ${wait.most} of ${wait.agent} at a time`,
        command: watch,
      };
    case 'shared':
      return {
        text: `is waiting for ${withStatus(view, wait.task)}: both share ${sharedPaths(state, task, wait.task)} and run one after the other`,
        command: why(wait.task),
      };
    case 'place':
      return {
        text: `is waiting for a slot behind ${list(wait.running)}: limits.parallel is ${state.plan.limits.parallel}`,
        command: why(wait.running[0]),
      };
    case 'launches':
      return { text: `is waiting while ${wait.launching.join(', ')} start`, command: watch };
    case 'task-base':
      return { text: 'is waiting for its base commit, which is being prepared', command: watch };
    case 'nothing':
      return { text: 'starts next', command: watch };
  }
}

/** `hello (running for 3m 07s)`. */
function withStatus({ state, times, now }: RunView, id: string): string {
  const task = Object.values(state.tasks).find((one) => one.id === id);
  if (task === undefined) return id;
  return `${id} (${taskWords(state, task).word}${lasting(times.tasks[task.id] ?? null, now)})`;
}

function sharedPaths(state: RunState, task: TaskState, other: TaskState['id']): string {
  const theirs = plannedById(state.plan, other)?.shares ?? [];
  const both = (plannedIn(state, task.id)?.shares ?? []).filter((path) => theirs.includes(path));
  return both.join(', ') || 'a path';
}

/** A pause of a provider, and the command that gives the task to another agent; null when there is no other. */
type Pause = { readonly sentence: string; readonly command: string | null };

/** Null unless the provider of this waiting task is paused. */
export function pauseOf(state: RunState, task: TaskState, now: string): Pause | null {
  const planned = plannedIn(state, task.id);
  if (planned === undefined || task.progress.status !== 'waiting') return null;
  const provider = providerOf(task);
  const pause = state.providers[provider];
  if (pause?.status !== 'paused') return null;
  const other = otherAgent(state.providers, planned, task);
  return {
    sentence: `${provider} is paused${pauseText(pause.until, now)}: ${troubleText(pause.trouble)}`,
    command: other === null ? null : `tidegate retry ${state.run}/${task.id} --agent ${other}`,
  };
}

export function pauseLines(state: RunState, now: string): readonly Text[] {
  return Object.keys(state.providers).flatMap((provider): readonly Text[] => {
    if (!isPaused(state.providers, provider)) return [];
    const pauses = plannedStates(state)
      .filter((task) => providerOf(task) === provider)
      .flatMap((task) => pauseOf(state, task, now) ?? []);
    const [pause] = pauses;
    if (pause === undefined) return [];
    return [
      [{ text: pause.sentence, tone: 'waiting' }],
      ...(pause.command === null ? [] : [`  or use another agent: ${pause.command}`]),
    ];
  });
}
