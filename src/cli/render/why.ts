import type { TaskId } from '../../domain/ids.ts';
import { needsOf } from '../../domain/needs.ts';
import { openUndo } from '../../domain/open-undo.ts';
import { currentWave, plannedById, plannedStates, tasksOfWave } from '../../domain/run.ts';
import { isLive } from '../../domain/schedule.ts';
import { pauseOf } from './pauses.ts';
import { endText, needSince, type RunView, undoText } from './run-view.ts';
import { taskWords } from './task-line.ts';
import { age } from './times.ts';

/** The one fact that keeps a run or task from going on, how long it has, and what to type. */
export type Why = { readonly sentence: string; readonly command: string | null };

export function whyRun(view: RunView, behind: string | null): Why {
  const { state } = view;
  const undo = undoText(view);
  const [stuck] = undo === null ? [] : needsOf(state);
  if (undo !== null && stuck === undefined)
    return { sentence: `undo: ${undo}.`, command: `tidegate watch ${state.run}` };
  const ended = endText(state);
  if (ended !== null && undo === null) return { sentence: `${state.run} has ended: ${ended}.`, command: null };
  if (behind !== null)
    return {
      sentence: `${state.run} waits in line behind ${behind}, which aims at ${state.target.branch} too.`,
      command: `tidegate why ${behind}`,
    };
  const [need] = needsOf(view.state);
  if (need !== undefined) {
    const subject = need.task === null ? state.run : `${state.run}/${need.task}`;
    return {
      sentence: `${subject} waits for you${since(needSince(view, need), view.now)}: ${need.message}.`,
      command: need.command,
    };
  }
  const live = Object.values(state.tasks).filter(isLive);
  const [first] = live;
  const [paused] = live.length > 0 ? [] : plannedStates(state).flatMap((task) => pauseOf(state, task, view.now) ?? []);
  if (paused !== undefined)
    return {
      sentence: `${state.run} waits: ${paused.sentence}.`,
      command: paused.command ?? `tidegate watch ${state.run}`,
    };
  if (first !== undefined)
    return {
      sentence: `${state.run} is at work: ${live.map(({ id }) => id).join(', ')} ${live.length === 1 ? 'runs' : 'run'}${since(view.times.tasks[first.id] ?? null, view.now)}.`,
      command: `tidegate logs -f ${state.run}/${first.id}`,
    };
  const wave = currentWave(state);
  const round = wave?.rounds.at(-1);
  const doing =
    round !== undefined && !['merged', 'abandoned'].includes(round.status)
      ? 'its result is integrated and checked'
      : 'its next step is under way';
  return {
    sentence: `${state.run} is at work: ${doing}${since(view.times.last, view.now)}.`,
    command: `tidegate watch ${state.run}`,
  };
}

export function whyTask(view: RunView, id: TaskId, behind: string | null): Why {
  const { state, now, times } = view;
  const task = state.tasks[id];
  if (task === undefined) return { sentence: `${state.run} has no task ${id}.`, command: null };
  if (openUndo(state)?.task === id) return whyRun(view, behind);
  const subject = `${state.run}/${id}`;
  const { word, detail } = taskWords(state, task);
  const need = needsOf(state).find((found) => found.task === id);
  if (need !== undefined)
    return {
      sentence: `${subject} is ${word}${since(times.tasks[id] ?? null, now)}: ${need.message}.`,
      command: need.command,
    };
  if (task.progress.status === 'waiting') return whyWaiting(view, id, behind);
  const command = isLive(task) ? `tidegate logs -f ${subject}` : null;
  return {
    sentence: `${subject} is ${word}${since(times.tasks[id] ?? null, now)}${detail === '' ? '' : `: ${detail}`}.`,
    command,
  };
}

/** A task that waits is explained by the first thing in its way: its wave, its needs, the run itself, or a free place. */
function whyWaiting(view: RunView, id: TaskId, behind: string | null): Why {
  const { state } = view;
  const subject = `${state.run}/${id}`;
  const wave = currentWave(state);
  const task = state.tasks[id];
  if (
    behind === null &&
    wave !== undefined &&
    task !== undefined &&
    task.wave > wave.index &&
    state.plan.schedule === 'strict'
  ) {
    const open = tasksOfWave(state, wave.index).filter(
      ({ progress }) => !['merged', 'done', 'dropped'].includes(progress.status),
    );
    const [first] = open;
    return {
      sentence: `${subject} waits for wave ${wave.index}, in which ${open.map((other) => other.id).join(', ')} ${open.length === 1 ? 'is' : 'are'} open.`,
      command: first === undefined ? null : `tidegate why ${state.run}/${first.id}`,
    };
  }
  const need = (plannedById(state.plan, id)?.needs ?? []).find(
    (other) => !['ready', 'merged', 'done'].includes(state.tasks[other]?.progress.status ?? ''),
  );
  if (need !== undefined) {
    const word = state.tasks[need]?.progress.status ?? 'unknown';
    return {
      sentence: `${subject} waits for ${need}, which is ${word}${since(view.times.tasks[need] ?? null, view.now)}.`,
      command: `tidegate why ${state.run}/${need}`,
    };
  }
  const pause = task === undefined ? null : pauseOf(state, task, view.now);
  if (pause !== null) return { sentence: `${subject} waits: ${pause.sentence}.`, command: pause.command };
  const whole = whyRun(view, behind);
  return { sentence: `${subject} waits because ${whole.sentence}`, command: whole.command };
}

const since = (at: string | null, now: string): string => {
  const text = age(at, now);
  return text === '' ? '' : ` for ${text}`;
};
