import { failureText } from '../domain/explain/advice.ts';
import { describeFinding } from '../domain/explain/explain.ts';
import { toldOfHold } from '../domain/explain/hold.ts';
import { isUndone } from '../domain/landing/undo.ts';
import { plannedById } from '../domain/plan/plan.ts';
import type { RunState } from '../domain/run/run.ts';
import { blockingNeed, launchHalt } from '../domain/run/schedule.ts';
import { endedAttempt, type TaskState } from '../domain/run/task.ts';
import { waitOf } from '../domain/run/waiting.ts';
import type { Span, Text } from '../ports/terminal.ts';
import { diffstatText, type TaskActivity } from './activity.ts';
import type { RunView } from './run-view.ts';
import { age } from './times.ts';

type Shown = { readonly sign: string; readonly tone: Span['tone']; readonly word: string; readonly detail: string };

/** One task: sign, name, state, for how long, and what it waits for or came to. */
export function taskLine(view: RunView, task: TaskState, width: number): Text {
  const { sign, tone, word, detail } = shownTask(view.state, task, view.activity?.get(task.id));
  const since = isTaskOpen(task) ? age(view.times.tasks[task.id] ?? null, view.now) : '';
  return [
    { text: `  ${sign} `, tone },
    task.id.padEnd(width),
    '  ',
    { text: detail === '' && since === '' ? word : word.padEnd(9), tone },
    detail === '' && since === '' ? '' : ` ${since.padStart(7)}`,
    detail === '' ? '' : `  ${detail}`,
  ];
}

/** What a task is and waits for, in words. */
export function taskWords(state: RunState, task: TaskState): { readonly word: string; readonly detail: string } {
  const { word, detail } = shownTask(state, task);
  return { word, detail };
}

export const isTaskOpen = ({ progress }: TaskState): boolean =>
  !['merged', 'done', 'dropped'].includes(progress.status);

/** How a task stands: its sign, and what it is, does and waits for in words. */
export function shownTask(state: RunState, task: TaskState, activity?: TaskActivity): Shown {
  const { progress } = task;
  const { doing = null, changes = null } = activity ?? {};
  const stat = changes === null ? '' : diffstatText(changes);
  if (state.ended !== null && ['waiting', 'launching', 'running', 'ended'].includes(progress.status))
    return { sign: '·', tone: 'dim', word: task.launches > 0 ? 'not done' : 'not started', detail: stat };
  switch (progress.status) {
    case 'waiting':
      return waiting(state, task);
    case 'launching':
      return { sign: '●', tone: 'waiting', word: 'starting', detail: attemptText(task) };
    case 'running':
      return { sign: '●', tone: 'waiting', word: 'running', detail: joined(attemptText(task), doing ?? '') };
    case 'ended':
      return { sign: '●', tone: 'waiting', word: 'judging', detail: 'its snapshot is judged' };
    case 'ready':
      return {
        sign: '✓',
        tone: 'good',
        word: 'ready',
        detail: `${stat || files(progress.snapshot.diff.length)}${takenText(task)}, ${state.ended === null ? 'waits for its merge' : 'not merged'}`,
      };
    case 'done':
      return {
        sign: '✓',
        tone: 'good',
        word: 'done',
        detail: task.readOnly ? 'read-only, its handoff is its result' : 'changed nothing',
      };
    case 'merged':
      return {
        sign: '✓',
        tone: 'good',
        word: 'merged',
        detail: `${stat || files(progress.snapshot.diff.length)}, ${progress.commit.slice(0, 8)}${takenText(task)}${isUndone(state, task.id) ? ', taken back' : ''}`,
      };
    case 'held':
      return {
        sign: '!',
        tone: 'bad',
        word: 'held',
        detail: joined(toldOfHold(state, progress.hold, task.id).message, stat),
      };
    case 'failed':
      return { sign: '✗', tone: 'bad', word: 'failed', detail: joined(failureText(progress), stat) };
    case 'dropped':
      return { sign: '-', tone: 'dim', word: 'dropped', detail: `by ${progress.by.who}` };
  }
}

function waiting(state: RunState, task: TaskState): Shown {
  const plain = { sign: '·', tone: 'dim', word: 'waiting' } as const;
  if (task.progress.status === 'waiting' && task.progress.next.halt !== null)
    return {
      sign: '✗',
      tone: 'bad',
      word: 'stuck',
      detail: `could not be launched: ${describeFinding(task.progress.next.halt)}`,
    };
  const halt = launchHalt(state, task.wave);
  if (halt !== null) return { ...plain, sign: '!', word: 'blocked', detail: `until ${halt.task} can be launched` };
  const blocking = blockingNeed(state, task);
  if (blocking !== null)
    return { ...plain, sign: '!', word: 'blocked', detail: `needs ${blocking}, which is ${statusOf(state, blocking)}` };
  const open = (plannedById(state.plan, task.id)?.needs ?? []).filter(
    (need) => !['ready', 'merged', 'done'].includes(state.tasks[need]?.progress.status ?? ''),
  );
  if (open.length > 0) return { ...plain, detail: `for ${open.join(', ')}` };
  if (task.launches > 0) return { ...plain, detail: `for attempt ${task.launches + 1}` };
  return { ...plain, detail: waitsFor(state, task) };
}

/** The first thing that keeps it from starting, in a word or two; `why` says it in full. */
function waitsFor(state: RunState, { progress, ...task }: TaskState): string {
  const wait = progress.status === 'waiting' ? waitOf(state, { ...task, progress }) : null;
  switch (wait?.on) {
    case 'mode':
      return `while the run is ${state.mode.mode}`;
    case 'wave':
      return `for wave ${wait.wave}`;
    case 'approval':
      return 'for approval';
    default:
      return 'for its turn';
  }
}

/** Names the person without whom its work would not count, or who changed it by hand. */
function takenText(task: TaskState): string {
  const acceptance = endedAttempt(task)?.acceptance;
  if (acceptance === undefined) return '';
  return `, ${acceptance.edited.length > 0 ? 'edited' : 'accepted'} by ${acceptance.who}`;
}

const statusOf = (state: RunState, task: string): string =>
  Object.values(state.tasks).find(({ id }) => id === task)?.progress.status ?? 'unknown';

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' · ');

const attemptText = (task: TaskState): string => (task.launches > 1 ? `attempt ${task.launches}` : '');

export const files = (count: number): string => `${count} file${count === 1 ? '' : 's'}`;
