import { type AttemptId, attemptId, type TaskId } from '../../domain/base/ids.ts';
import type { AgentEvent } from '../../domain/tool-calls/agent-event.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { agentLines } from '../../view/agent-lines.ts';
import { type RunView, toldLines } from '../../view/run-view.ts';
import { type Around, type Why, whyRun, whyTask } from '../../view/why.ts';
import { taskDiff } from '../look/diff.ts';
import { helpLines } from './help-lines.ts';
import type { Pane } from './pane.ts';

/** The text of a pane as far as there is one; the same array as long as nothing was added. */
export type PaneText = (view: RunView, around: Around) => Promise<readonly Text[]>;

export function paneText(repo: RepositoryHandle, { kind, task }: Pick<Pane, 'kind' | 'task'>): PaneText {
  switch (kind) {
    case 'help':
      return async () => helpLines;
    case 'why':
      return async (view, around) => whyLines(view, task, around);
    case 'diff':
      return once((view) => (task === null ? runDiff(repo, view) : taskDiff(repo, view.state, task)));
    case 'log':
      return task === null ? nothing : growing(task, (attempt, from) => repo.files.readLog(attempt, from), printed);
    case 'transcript':
      return task === null ? nothing : said(repo, task);
  }
}

const nothing: PaneText = async () => ['no task is selected'];

function once(read: (view: RunView) => Promise<readonly Text[]>): PaneText {
  let lines: Promise<readonly Text[]> | null = null;
  return (view) => {
    lines ??= read(view);
    return lines;
  };
}

function whyLines(view: RunView, task: TaskId | null, around: Around): readonly Text[] {
  const told = (why: Why): readonly Text[] => [why.sentence, ...toldLines(why)];
  return task === null
    ? told(whyRun(view, around))
    : [...told(whyTask(view, task, around)), '', ...told(whyRun(view, around))];
}

async function runDiff(repo: RepositoryHandle, { state }: RunView): Promise<readonly Text[]> {
  const merged = Object.values(state.tasks).filter(({ progress }) => progress.status === 'merged');
  const all = await Promise.all(merged.map(({ id }) => taskDiff(repo, state, id)));
  return all.length === 0 ? ['nothing is merged yet'] : all.flatMap((lines) => [...lines, '']);
}

/** Commands speak no protocol: what they print takes its place. */
function said(repo: RepositoryHandle, task: TaskId): PaneText {
  const spoken = growing(task, (attempt, from) => repo.files.readTranscript(attempt, from), transcribed);
  const log = growing(task, (attempt, from) => repo.files.readLog(attempt, from), printed);
  return async (view, around) => {
    const lines = await spoken(view, around);
    return lines.length > 0 ? lines : await log(view, around);
  };
}

type Read = (attempt: AttemptId, from: number) => Promise<{ readonly text: string; readonly next: number }>;

const mostLines = 5_000;

/** Reads on from where it was, through all attempts of a task. Of very long texts the end is kept. */
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
      const got = await read(attemptId(state.run, task, number), from);
      const parts = (rest + got.text).split('\n');
      rest = parts.pop() ?? '';
      add(parts.flatMap(linesOf));
      const isThrough = got.next === from;
      from = got.next;
      if (!isThrough) continue;
      if (number === launches) break;
      number += 1;
      from = 0;
      rest = '';
      add([[{ text: `── attempt ${number}`, tone: 'strong' }]]);
    }
    return lines;
  };
}

const printed = (line: string): readonly Text[] => [line];

function transcribed(line: string): readonly Text[] {
  const { at: _at, ...event } = JSON.parse(line) as AgentEvent & { readonly at: string };
  return agentLines(event);
}
