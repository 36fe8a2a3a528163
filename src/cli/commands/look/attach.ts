import { type AttemptId, attemptId } from '../../../domain/base/ids.ts';
import type { RunState } from '../../../domain/run/run.ts';
import { isLive } from '../../../domain/run/schedule.ts';
import { attemptOf, type TaskState } from '../../../domain/run/task.ts';
import type { AgentEvent } from '../../../domain/tool-calls/agent-event.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { agentLines } from '../../../view/agent-lines.ts';
import { type Following, followRun, ticker } from '../../follow/follow.ts';
import { aRunOrTask, type Context, command, done, exitCodes, type Outcome, usageError } from '../../frame/command.ts';
import { resolveRun, resolveTask, type TaskSubject } from '../../frame/subject.ts';

export const attachCommand = command({
  name: 'attach',
  group: 'look',
  summary: 'follow what an agent says and does',
  arguments: {
    task: { ...aRunOrTask, about: 'run/task, or a task of the live run (default: the running one)' },
  },
  options: {
    tail: { about: 'start with the last few events' },
    attempt: { value: 'number', about: 'show only this earlier attempt' },
  },
  looks: async ({ task: typed, tail, attempt }, repo, context) => {
    const subject = await resolveRun(repo, 'attach', typed, 'newest');
    if (!subject.ok) return subject.error;
    const { run, state, task } = subject.value;
    const live = Object.values(state.tasks).filter(isLive);
    const only = task === null && live.length === 1 ? `${run}/${live[0]?.id}` : (typed ?? run);
    const one = await resolveTask(repo, 'attach', only, 'newest');
    if (!one.ok) return one.error;
    const name = `${run}/${one.value.task}`;
    const launches = state.tasks[one.value.task]?.launches ?? 0;
    const first = attempt === undefined ? launches : /^\d{1,4}$/.test(attempt) ? Number(attempt) : 0;
    if (first < 1 || first > launches)
      return usageError('no-attempt', `attach: ${name} has no attempt ${attempt ?? 'yet'}`);
    if (!hasTranscript(one.value, first))
      return usageError(
        'no-transcript',
        `attach: the agent of ${name} is a command and has no transcript. Its output: tidegate logs -f ${name}`,
      );
    return await follow(repo, context, one.value, { first, tail, alone: attempt !== undefined });
  },
});

/** Commands have no transcript: their output is in the log. */
export const hasTranscript = ({ run, task, stored }: TaskSubject, number: number): boolean =>
  stored.some(
    ({ event }) =>
      event.type === 'attempt-intended' && event.attempt === attemptId(run, task, number) && event.agent !== 'command',
  );

async function follow(
  repo: RepositoryHandle,
  context: Context,
  { run, task }: TaskSubject,
  options: { readonly first: number; readonly tail: boolean; readonly alone: boolean },
): Promise<Outcome> {
  const left = Promise.withResolvers<'left'>();
  using _signals = context.onSignal(() => left.resolve('left'));
  context.readerGone.addEventListener('abort', () => left.resolve('left'));
  using ticks = ticker(200);
  await using following = await followRun(repo, run);
  let number = options.first;
  let transcript = transcriptOf(repo, context, attemptId(run, task, number), options.tail);
  for (;;) {
    const { now, isOver } = await stateOf(following, task, number);
    await transcript.printNew();
    if (isOver && (options.alone || !hasNext(now, number))) return done([], { attempt: attemptId(run, task, number) });
    if (isOver && now !== undefined && now.task.launches > number) {
      number += 1;
      if (!context.json) context.terminal.line([{ text: `── attempt ${number}`, tone: 'strong' }]);
      transcript = transcriptOf(repo, context, attemptId(run, task, number), false);
      continue;
    }
    if ((await Promise.race([ticks.next(), left.promise])) === 'left')
      return { exit: exitCodes.interrupted, reason: 'interrupted' };
  }
}

type TaskNow = { readonly run: RunState; readonly task: TaskState };

async function stateOf(following: Following, id: TaskSubject['task'], number: number) {
  const run = (await following.view())?.state;
  const task = run?.tasks[id];
  const now = run === undefined || task === undefined ? undefined : { run, task };
  const isOver = task === undefined || !isLive(task) || (attemptOf(task)?.number ?? 0) > number;
  return { now, isOver };
}

/** Another attempt has started, or will start by itself. */
function hasNext(now: TaskNow | undefined, number: number): boolean {
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

/** Prints a transcript as it grows. `tail` skips all but the last few events that exist already. */
function transcriptOf(repo: RepositoryHandle, context: Context, attempt: AttemptId, tail: boolean) {
  let from = 0;
  let rest = '';
  let isFirst = true;
  const print = (line: string): void => {
    const { at, ...event } = JSON.parse(line) as AgentEvent & { readonly at: string };
    if (context.json) context.terminal.json({ attempt, at, ...event });
    else for (const text of agentLines(event)) context.terminal.line(text);
  };
  return {
    async printNew(): Promise<void> {
      const lines: string[] = [];
      for (;;) {
        const read = await repo.files.readTranscript(attempt, from);
        if (read.next === from) break;
        from = read.next;
        const parts = (rest + read.text).split('\n');
        rest = parts.pop() ?? '';
        lines.push(...parts);
        if (!isFirst || !tail) for (const line of lines.splice(0)) print(line);
      }
      for (const line of isFirst && tail ? lines.slice(-lastEvents) : lines) print(line);
      isFirst = false;
    },
  };
}
