import { type AttemptId, attemptId } from '../../domain/base/ids.ts';
import type { RunState } from '../../domain/run/run.ts';
import { isLive } from '../../domain/run/schedule.ts';
import { attemptOf, type TaskState } from '../../domain/run/task.ts';
import type { AgentEvent } from '../../domain/tool-calls/agent-event.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { agentLines } from '../../view/agent-lines.ts';
import { type Context, done, exitCodes, misused, type Outcome } from '../frame/command.ts';
import { type MadeTask, runNamed, taskNamed } from '../frame/subject.ts';
import { type Following, followRun } from './follow.ts';
import { ticker } from './foreground.ts';

type AttachInput = { readonly task: string | undefined; readonly tail: boolean; readonly attempt: string | undefined };

/** `tidegate attach [run/task]`: what an agent says and does, readably, until its task needs no more of it. */
export async function attachTo(
  { task: given, ...options }: AttachInput,
  repo: RepositoryHandle,
  context: Context,
): Promise<Outcome> {
  const found = await runNamed(repo, 'attach', given, 'newest');
  if (!found.ok) return found.error;
  const { run, state, task } = found.value;
  const live = Object.values(state.tasks).filter(isLive);
  const only = task === null && live.length === 1 ? `${run}/${live[0]?.id}` : (given ?? run);
  const one = await taskNamed(repo, 'attach', only, 'newest');
  if (!one.ok) return one.error;
  const subject = `${run}/${one.value.task}`;
  const launches = state.tasks[one.value.task]?.launches ?? 0;
  const asked =
    options.attempt === undefined ? launches : /^\d{1,4}$/.test(options.attempt) ? Number(options.attempt) : 0;
  if (asked < 1 || asked > launches)
    return misused('no-attempt', `attach: ${subject} has no attempt ${options.attempt ?? 'yet'}`);
  if (!speaks(one.value, asked))
    return misused(
      'no-transcript',
      `attach: the agent of ${subject} speaks no protocol; its output: tidegate logs -f ${subject}`,
    );
  return await follow(repo, context, one.value, {
    first: asked,
    tail: options.tail,
    alone: options.attempt !== undefined,
  });
}

/** Commands only print; what they print is in the log. */
export const speaks = ({ run, task, stored }: MadeTask, number: number): boolean =>
  stored.some(
    ({ event }) =>
      event.type === 'attempt-intended' && event.attempt === attemptId(run, task, number) && event.agent !== 'command',
  );

async function follow(
  repo: RepositoryHandle,
  context: Context,
  { run, task }: MadeTask,
  how: { readonly first: number; readonly tail: boolean; readonly alone: boolean },
): Promise<Outcome> {
  const left = Promise.withResolvers<'left'>();
  using _signals = context.onSignal(() => left.resolve('left'));
  context.readerGone.addEventListener('abort', () => left.resolve('left'));
  using ticks = ticker(200);
  await using following = await followRun(repo, run);
  let number = how.first;
  let reading = transcriptOf(repo, context, attemptId(run, task, number), how.tail);
  for (;;) {
    const { now, isOver } = standing(following, task, number);
    await reading.readOn();
    if (isOver && (how.alone || !goesOn(now, number))) return done([], { attempt: attemptId(run, task, number) });
    if (isOver && now !== undefined && now.task.launches > number) {
      number += 1;
      if (!context.json) context.terminal.line([{ text: `── attempt ${number}`, tone: 'strong' }]);
      reading = transcriptOf(repo, context, attemptId(run, task, number), false);
      continue;
    }
    if ((await Promise.race([ticks.next(), left.promise])) === 'left')
      return { exit: exitCodes.interrupted, reason: 'interrupted' };
  }
}

type Standing = { readonly run: RunState; readonly task: TaskState };

function standing(following: Following, id: MadeTask['task'], number: number) {
  const run = following.view()?.state;
  const task = run?.tasks[id];
  const now = run === undefined || task === undefined ? undefined : { run, task };
  const isOver = task === undefined || !isLive(task) || (attemptOf(task)?.number ?? 0) > number;
  return { now, isOver };
}

/** Another attempt was begun, or comes by itself. */
function goesOn(now: Standing | undefined, number: number): boolean {
  if (now === undefined) return false;
  const { task, run } = now;
  if (task.launches > number) return true;
  const { progress } = task;
  if (progress.status === 'ended') return true;
  return (
    progress.status === 'waiting' && progress.next.halt === null && run.mode.mode === 'active' && run.ended === null
  );
}

const lastEvents = 10;

/** Reads on from where it was; with `tail` it begins with the last few events of what is there already. */
function transcriptOf(repo: RepositoryHandle, context: Context, attempt: AttemptId, tail: boolean) {
  let from = 0;
  let rest = '';
  let isFirst = true;
  const emit = (line: string): void => {
    const { at, ...event } = JSON.parse(line) as AgentEvent & { readonly at: string };
    if (context.json) context.terminal.json({ attempt, at, ...event });
    else for (const text of agentLines(event)) context.terminal.line(text);
  };
  return {
    async readOn(): Promise<void> {
      const lines: string[] = [];
      for (;;) {
        const read = await repo.files.readTranscript(attempt, from);
        if (read.next === from) break;
        from = read.next;
        const parts = (rest + read.text).split('\n');
        rest = parts.pop() ?? '';
        lines.push(...parts);
        if (!isFirst || !tail) for (const line of lines.splice(0)) emit(line);
      }
      for (const line of isFirst && tail ? lines.slice(-lastEvents) : lines) emit(line);
      isFirst = false;
    },
  };
}
