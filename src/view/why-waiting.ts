import {
  toldOfDroppedNeed,
  toldOfLaunch,
  toldOfLogin,
  toldOfRunBudget,
  toldOfShortage,
  toldOfTaskBudget,
  toldOfWaveHalt,
} from '../domain/explain/advice.ts';
import type { Advice } from '../domain/explain/text.ts';
import { plannedById } from '../domain/plan/plan.ts';
import type { RunState } from '../domain/run/run.ts';
import type { TaskState } from '../domain/run/task.ts';
import { type Wait, waitOf } from '../domain/run/waiting.ts';
import { pauseOf } from './pauses.ts';
import type { RunView } from './run-view.ts';
import { taskWords } from './task-line.ts';
import { lasting } from './times.ts';
import type { Around, Why } from './why.ts';

type Waiting = TaskState & { readonly progress: { readonly status: 'waiting' } };

/** A task that waits is explained by the first thing in its way. `asWhole`: by what the run itself waits for. */
export function whyWaiting(view: RunView, task: Waiting, around: Pick<Around, 'full'>, asWhole: () => Why): Why {
  const { state } = view;
  const subject = `${state.run}/${task.id}`;
  const wait = waitOf(state, task);
  const told = toldOf(state, wait, subject);
  if (told !== null) {
    const { message, ...rest } = told;
    return {
      sentence: `${subject} waits${lasting(view.times.tasks[task.id] ?? null, view.now)}: ${message}.`,
      ...rest,
    };
  }
  const found = (wait.on === 'nothing' ? placeWords(around) : null) ?? waitWords(view, task, wait);
  return found === null ? asWhole() : { sentence: `${subject} waits ${found.what}.`, safe: '', command: found.command };
}

/** What a person has to bring on; the run tells it in the same words. */
function toldOf(state: RunState, wait: Wait, subject: string): Advice | null {
  if (wait.on === 'launch') return toldOfLaunch(state, wait.because, subject);
  if (wait.on === 'wave-halt') return toldOfWaveHalt(state, wait);
  if (wait.on === 'budget')
    return wait.of === 'run' ? toldOfRunBudget(state, wait.spend) : toldOfTaskBudget(state, wait.spend, subject);
  if (wait.on === 'need' && state.tasks[wait.task]?.progress.status === 'dropped')
    return toldOfDroppedNeed(wait.task, subject);
  if (wait.on === 'room') return toldOfShortage(wait.shortage);
  return wait.on === 'provider' && wait.pause.until === null ? toldOfLogin(state, wait.provider, wait.pause) : null;
}

type Found = { readonly what: string; readonly command: string };

/** It could start, were it not for other runs. */
const placeWords = ({ full }: Pick<Around, 'full'>): Found | null =>
  full === undefined || full === null
    ? null
    : {
        what: `for a free place: ${full === 1 ? '1 attempt is' : `${full} attempts are`} at work in this repository, all that machine.agents allows`,
        command: 'tidegate runs',
      };

/** Null: the run waits for the same. */
function waitWords(view: RunView, task: Waiting, wait: Wait): Found | null {
  const { state } = view;
  const ask = (id: string | undefined): string => `tidegate why ${id === undefined ? state.run : `${state.run}/${id}`}`;
  const watch = `tidegate watch ${state.run}`;
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
      return {
        what: `for wave ${wait.wave}, in which ${wait.open.map((id) => `${id} is ${standing(view, id)}`).join(', ')}`,
        command: ask(wait.open[0]),
      };
    case 'earlier':
      return { what: `for ${wait.task} of an earlier wave, whose paths meet its own`, command: ask(wait.task) };
    case 'need': {
      const locks = wait.locked.length === 0 ? '' : ` and writes ${wait.locked.join(', ')} before the others`;
      return { what: `for ${wait.task}, which is ${standing(view, wait.task)}${locks}`, command: ask(wait.task) };
    }
    case 'base-check':
      return {
        what: `for the check ${wait.check}, which runs on ${state.target.branch} before any task starts`,
        command: watch,
      };
    case 'provider': {
      const pause = pauseOf(state, task, view.now);
      return {
        what: `because ${pause?.sentence ?? `${wait.provider} is paused`}; it goes on by itself`,
        command: pause?.command ?? watch,
      };
    }
    case 'agents':
      return {
        what: `for a place: ${wait.most} of ${wait.agent} at a time may be at work (limits.agents)`,
        command: watch,
      };
    case 'shared':
      return {
        what: `for ${wait.task}, which is ${standing(view, wait.task)}: they share ${shared(state, task, wait.task)}, one after the other`,
        command: ask(wait.task),
      };
    case 'place':
      return {
        what: `for a free place: ${wait.running.map((id) => `${id} is ${standing(view, id)}`).join(', ')}, and ${state.plan.limits.parallel} at a time may be at work (limits.parallel)`,
        command: ask(wait.running[0]),
      };
    case 'launches':
      return { what: `while ${wait.launching.join(', ')} start`, command: watch };
    case 'task-base':
      return { what: 'for its base, which is made now', command: watch };
    case 'nothing':
      return { what: 'for nothing more, and starts next', command: watch };
  }
}

function standing({ state, times, now }: RunView, id: string): string {
  const [, task] = Object.entries(state.tasks).find(([known]) => known === id) ?? [];
  return task === undefined ? 'unknown' : `${taskWords(state, task).word}${lasting(times.tasks[task.id] ?? null, now)}`;
}

function shared(state: RunState, task: TaskState, other: TaskState['id']): string {
  const theirs = plannedById(state.plan, other)?.shares ?? [];
  const both = (plannedById(state.plan, task.id)?.shares ?? []).filter((path) => theirs.includes(path));
  return both.join(', ') || 'a path';
}
