import { type AttemptId, attemptId, type TaskId } from '../../domain/base/ids.ts';
import type { AgentEvent } from '../../domain/tool-calls/agent-event.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { agentLines } from '../../view/agent-lines.ts';
import { adviceLines, type RunView } from '../../view/run-view.ts';
import { type Why, type WhyContext, whyRun, whyTask } from '../../view/why.ts';
import { taskDiff } from '../commands/look/diff.ts';
import type { Pane } from './pane.ts';

/** Returns the text of a pane so far; the same array while nothing was added. */
export type PaneText = (view: RunView, around: WhyContext) => Promise<readonly Text[]>;

export function paneText(repo: RepositoryHandle, { kind, task }: Pick<Pane, 'kind' | 'task'>): PaneText {
  switch (kind) {
    case 'help':
      return async () => helpLines;
    case 'why':
      return async (view, around) => whyLines(view, task, around);
    case 'diff':
      return once((view) => (task === null ? runDiff(repo, view) : taskDiff(repo, view.state, task)));
    case 'log':
      return task === null ? nothing : growing(task, (attempt, from) => repo.files.readLog(attempt, from), outputLines);
    case 'transcript':
      return task === null ? nothing : transcriptOrLog(repo, task);
  }
}

const nothing: PaneText = async () => ['No task is selected.'];

function once(read: (view: RunView) => Promise<readonly Text[]>): PaneText {
  let lines: Promise<readonly Text[]> | null = null;
  return (view) => {
    lines ??= read(view);
    return lines;
  };
}

function whyLines(view: RunView, task: TaskId | null, around: WhyContext): readonly Text[] {
  const linesOf = (why: Why): readonly Text[] => [why.sentence, ...adviceLines(why)];
  const whole = whyRun(view, around);
  if (task === null) return linesOf(whole);
  const own = whyTask(view, task, around);
  // a task that is or awaits what the run is waiting for has the same explanation
  return own.sentence.endsWith(whole.sentence) ? linesOf(own) : [...linesOf(own), '', ...linesOf(whole)];
}

async function runDiff(repo: RepositoryHandle, { state }: RunView): Promise<readonly Text[]> {
  const merged = Object.values(state.tasks).filter(({ progress }) => progress.status === 'merged');
  const all = await Promise.all(merged.map(({ id }) => taskDiff(repo, state, id)));
  return all.length === 0 ? ['Nothing is merged yet.'] : all.flatMap((lines) => [...lines, '']);
}

/** Commands have no transcript: their output takes its place. */
function transcriptOrLog(repo: RepositoryHandle, task: TaskId): PaneText {
  const transcript = growing(task, (attempt, from) => repo.files.readTranscript(attempt, from), transcriptLines);
  const log = growing(task, (attempt, from) => repo.files.readLog(attempt, from), outputLines);
  return async (view, around) => {
    const lines = await transcript(view, around);
    return lines.length > 0 ? lines : await log(view, around);
  };
}

type Read = (attempt: AttemptId, from: number) => Promise<{ readonly text: string; readonly next: number }>;

const mostLines = 5_000;

/** Reads what was added, through all attempts of a task. Keeps the end of very long texts. */
function growing(task: TaskId, read: Read, linesOf: (line: string) => readonly Text[]): PaneText {
  let number = 1;
  let from = 0;
  let rest = '';
  let lines: readonly Text[] = [];
  const add = (more: readonly Text[]): void => {
    if (more.length > 0) lines = [...lines, ...more].slice(-mostLines);
  };
  return async ({ state }) => {
    const launches = state.tasks[task]?.launches ?? 0;
    while (number <= launches) {
      const chunk = await read(attemptId(state.run, task, number), from);
      const parts = (rest + chunk.text).split('\n');
      rest = parts.pop() ?? '';
      add(parts.flatMap(linesOf));
      const isRead = chunk.next === from;
      from = chunk.next;
      if (!isRead) continue;
      if (number === launches) break;
      number += 1;
      from = 0;
      rest = '';
      add([[{ text: `── attempt ${number}`, tone: 'strong' }]]);
    }
    return lines;
  };
}

const outputLines = (line: string): readonly Text[] => [line];

function transcriptLines(line: string): readonly Text[] {
  const { at: _at, ...event } = JSON.parse(line) as AgentEvent & { readonly at: string };
  return agentLines(event);
}

const keys: readonly (readonly [string, string])[] = [
  ['↑ ↓  j k', 'select the previous or next task'],
  ['⏎', 'follow its transcript; for commands, their output'],
  ['d', 'show its changes and who owns each file'],
  ['l', 'show its output'],
  ['w', 'explain what it is waiting for, and what to type'],
  ['tab', 'show all ten phases instead of five words'],
  ['a', 'approve the start or the landing'],
  ['g', 'grant the paths that the task needs'],
  ['$', 'raise the budget'],
  ['m', 'answer a record that waits for you; tab: dismiss it with a reason'],
  ['r', 'rework: start another attempt on top of the work, with a message'],
  ['t', 'accept the work although its agent did not finish'],
  ['x', 'drop the task; its work is kept for rescue'],
  ['p', 'pause: nothing new starts; press again to resume'],
  ['s  X', 's stops: agents end; X abandons the run for good. Both keep the work'],
  ['esc', 'go back; in a text also q'],
  ['q', 'leave; the run continues in the background'],
  ['Ctrl-C', 'in `tidegate run`: detach or stop; otherwise leave'],
  ['PgUp PgDn', 'in a text: scroll by a page; also b and space'],
  ['g G', 'in a text: go to the start or end; also home and end'],
];

export const helpLines: readonly Text[] = keys.map(([key, does]) => [{ text: key.padEnd(12), tone: 'strong' }, does]);
