import type { AttemptId } from '../../domain/base/ids.ts';
import { attemptId } from '../../domain/base/ids.ts';
import { foldRun } from '../../domain/run/run.ts';
import { isLive } from '../../domain/run/schedule.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { type Context, done, exitCodes, misused, type Outcome } from '../frame/command.ts';
import { type MadeRun, type MadeTask, runNamed, taskNamed } from '../frame/subject.ts';
import { speaks } from './attach.ts';
import { ticker } from './foreground.ts';
import { type JobLog, lastCheck, lastGenerated } from './job-logs.ts';

type LogInput = {
  readonly task: string | undefined;
  readonly follow: boolean;
  readonly attempt: string | undefined;
  readonly check: string | undefined;
  readonly generated: boolean;
};

/** `tidegate logs [run/task]`: what an attempt printed, made safe to show. */
export async function showLogs(
  { task: given, ...options }: LogInput,
  repo: RepositoryHandle,
  context: Context,
): Promise<Outcome> {
  const found = await runNamed(repo, 'logs', given, 'newest');
  if (!found.ok) return found.error;
  if (options.check !== undefined)
    return await printed(repo, context, found.value, lastCheck(found.value, options.check));
  if (options.generated) return await printed(repo, context, found.value, lastGenerated(found.value));
  const { task, state, run } = found.value;
  if (task === null && !options.follow && options.attempt === undefined)
    return await allLogs(repo, context, found.value);
  const live = Object.values(state.tasks).filter(isLive);
  const only = task === null && live.length === 1 ? `${run}/${live[0]?.id}` : (given ?? run);
  const one = await taskNamed(repo, 'logs', only, 'newest');
  if (!one.ok) return one.error;
  const attempt = attemptNamed(one.value, options.attempt);
  if (attempt === undefined)
    return misused('no-attempt', `logs: ${run}/${one.value.task} has no attempt ${options.attempt ?? 'yet'}`);
  if (!context.json && speaks(one.value, Number(attempt.split('.').at(-1))))
    context.terminal.problem(
      `tidegate: note: this is its raw output; readably: tidegate attach ${run}/${one.value.task}`,
    );
  return options.follow ? await followLog(repo, context, one.value, attempt) : await wholeLog(repo, context, attempt);
}

function attemptNamed({ run, state, task }: MadeTask, given: string | undefined): AttemptId | undefined {
  const launches = state.tasks[task]?.launches ?? 0;
  const number = given === undefined ? launches : /^\d{1,4}$/.test(given) ? Number(given) : 0;
  return number >= 1 && number <= launches ? attemptId(run, task, number) : undefined;
}

async function allLogs(repo: RepositoryHandle, context: Context, { run, state }: MadeRun): Promise<Outcome> {
  const begun = Object.values(state.tasks).filter(({ launches }) => launches > 0);
  if (begun.length === 0) return done([`No task of ${run} has begun.`], { run, logs: [] });
  const printed: unknown[] = [];
  for (const { id, launches } of begun) {
    const attempt = attemptId(run, id, launches);
    if (!context.json) context.terminal.line([{ text: `── ${id}, attempt ${launches}`, tone: 'strong' }]);
    printed.push({ attempt, ...(await wholeLog(repo, context, attempt)).data });
  }
  return done([], { run, logs: printed });
}

async function wholeLog(repo: RepositoryHandle, context: Context, attempt: AttemptId): Promise<Outcome> {
  return done([], { attempt, text: await textOf(repo, context, attempt) });
}

/** Prints the log of a job; as JSON it is returned instead. Empty when the job's directory is gone. */
async function textOf(repo: RepositoryHandle, context: Context, job: string): Promise<string> {
  const text: string[] = [];
  for (let from = 0; ; ) {
    const read = await repo.files.readLog(job, from);
    if (read.next === from) break;
    from = read.next;
    text.push(context.json ? read.text : '');
    if (!context.json) printLines(context, read.text);
  }
  return text.join('');
}

/** All of the output while its file is there; its last lines are in the ledger for good. */
async function printed(
  repo: RepositoryHandle,
  context: Context,
  { run }: MadeRun,
  job: JobLog | string,
): Promise<Outcome> {
  if (typeof job === 'string') return misused('no-log', `logs: ${run}: ${job}`);
  if (!context.json) context.terminal.line([{ text: `── ${job.title}`, tone: 'strong' }]);
  const id = job.log.file.split('/')[0] ?? '';
  const isKept = id !== '' && (await repo.files.readLog(id, 0)).next > 0;
  const text = isKept ? await textOf(repo, context, id) : job.tail;
  if (!context.json && !isKept && text !== '') printLines(context, text);
  return done([], { run, ...job.data, text });
}

/** Whole lines as they come; the rest of an unfinished one when the attempt is over. */
async function followLog(
  repo: RepositoryHandle,
  context: Context,
  { run, task }: MadeTask,
  attempt: AttemptId,
): Promise<Outcome> {
  const left = Promise.withResolvers<'left'>();
  using _signals = context.onSignal(() => left.resolve('left'));
  context.readerGone.addEventListener('abort', () => left.resolve('left'));
  using ticks = ticker(200);
  let from = 0;
  let rest = '';
  for (;;) {
    const over = !isAttemptLive(foldRun(await repo.ledger.read(run)), task, attempt);
    for (;;) {
      const read = await repo.files.readLog(attempt, from);
      if (read.next === from) break;
      from = read.next;
      const end = (rest + read.text).lastIndexOf('\n') + 1;
      const whole = (rest + read.text).slice(0, end);
      rest = (rest + read.text).slice(end);
      if (whole !== '') emit(context, attempt, whole);
    }
    if (over) break;
    if ((await Promise.race([ticks.next(), left.promise])) === 'left')
      return { exit: exitCodes.interrupted, reason: 'interrupted' };
  }
  if (rest !== '') emit(context, attempt, rest);
  return done([], { attempt });
}

function isAttemptLive(state: ReturnType<typeof foldRun>, task: MadeTask['task'], attempt: AttemptId): boolean {
  const progress = state?.tasks[task]?.progress;
  return (
    progress !== undefined &&
    (progress.status === 'launching' || progress.status === 'running') &&
    progress.attempt.id === attempt
  );
}

function emit(context: Context, attempt: AttemptId, text: string): void {
  if (context.json) context.terminal.json({ attempt, text });
  else printLines(context, text);
}

const printLines = (context: Context, text: string): void => {
  for (const line of text.replace(/\n$/, '').split('\n')) context.terminal.line(line);
};
