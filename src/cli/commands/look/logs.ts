import { type AttemptId, attemptId, type RunId } from '../../../domain/base/ids.ts';
import { checkOutput } from '../../../domain/explain/hold.ts';
import type { LogEvidence } from '../../../domain/gates/evidence.ts';
import { orchestratorId } from '../../../domain/orchestrator/orchestrator.ts';
import { foldRun, type RunState } from '../../../domain/run/run.ts';
import { isLive } from '../../../domain/run/schedule.ts';
import { generatedPaths } from '../../../domain/scope/claims.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { checkDocument, endingDocument } from '../../../view/document.ts';
import { endingText } from '../../../view/event-line.ts';
import { ticker } from '../../follow/follow.ts';
import { aRunOrTask, type Context, command, done, exitCodes, type Outcome, usageError } from '../../frame/command.ts';
import {
  orchestratorSubject,
  type RunSubject,
  resolveRun,
  resolveTask,
  type TaskSubject,
} from '../../frame/subject.ts';

import { hasTranscript } from './attach.ts';

export const logsCommand = command({
  name: 'logs',
  group: 'look',
  summary: 'print the output of agents and checks',
  arguments: {
    task: { ...aRunOrTask, about: 'run/task, or a task of the live run (default: every task)' },
  },
  options: {
    follow: { short: 'f', about: 'keep printing until the attempt ends' },
    attempt: { value: 'number', about: 'print an earlier attempt' },
    check: { value: 'name', about: 'print the last output of this check' },
    generated: { about: 'print the last output of the commands for generated files' },
  },
  mcp: true,
  looks: ({ task, ...options }, repo, context) => showLogs(task, options, repo, context),
});

type LogOptions = {
  readonly follow: boolean;
  readonly attempt: string | undefined;
  readonly check: string | undefined;
  readonly generated: boolean;
};

async function showLogs(
  typed: string | undefined,
  options: LogOptions,
  repo: RepositoryHandle,
  context: Context,
): Promise<Outcome> {
  const guide = await orchestratorSubject(repo, 'logs', typed);
  if (guide !== null) return guide.ok ? await guideLog(repo, context, guide.value, options) : guide.error;
  const subject = await resolveRun(repo, 'logs', typed, 'newest');
  if (!subject.ok) return subject.error;
  const { task, state, run } = subject.value;
  if (options.check !== undefined)
    return await printJobLog(repo, context, run, lastCheck(subject.value, options.check));
  if (options.generated) return await printJobLog(repo, context, run, lastGenerated(subject.value));
  if (task === null && !options.follow && options.attempt === undefined)
    return await allLogs(repo, context, subject.value);
  const live = Object.values(state.tasks).filter(isLive);
  const only = task === null && live.length === 1 ? `${run}/${live[0]?.id}` : (typed ?? run);
  const one = await resolveTask(repo, 'logs', only, 'newest');
  if (!one.ok) return one.error;
  const launches = one.value.state.tasks[one.value.task]?.launches ?? 0;
  const attempt = attemptNamed({ run, task: one.value.task, launches }, options.attempt);
  if (attempt === undefined)
    return usageError('no-attempt', `logs: ${run}/${one.value.task} has no attempt ${options.attempt ?? 'yet'}`);
  if (!context.json && hasTranscript(one.value, Number(attempt.split('.').at(-1))))
    context.terminal.problem(`tidegate: note: this is raw output. Readable: tidegate attach ${run}/${one.value.task}`);
  if (!options.follow) return await wholeLog(repo, context, attempt);
  const isLiveNow = (now: RunState | null): boolean => isAttemptLive(now, one.value.task, attempt);
  return await followLog(repo, context, run, { attempt, isLive: isLiveNow });
}

type Launched = { readonly run: RunId; readonly task: TaskSubject['task']; readonly launches: number };

function attemptNamed({ run, task, launches }: Launched, typed: string | undefined): AttemptId | undefined {
  const number = typed === undefined ? launches : /^\d{1,4}$/.test(typed) ? Number(typed) : 0;
  return number >= 1 && number <= launches ? attemptId(run, task, number) : undefined;
}

/** The output of the resident orchestrator. */
async function guideLog(
  repo: RepositoryHandle,
  context: Context,
  { run, state }: RunSubject,
  { follow, attempt: typed }: LogOptions,
): Promise<Outcome> {
  const attempt = attemptNamed({ run, task: orchestratorId, launches: state.orchestrator?.launches ?? 0 }, typed);
  if (attempt === undefined)
    return usageError('no-attempt', `logs: ${run}/${orchestratorId} has no attempt ${typed ?? 'yet'}`);
  if (!follow) return await wholeLog(repo, context, attempt);
  return await followLog(repo, context, run, { attempt, isLive: (now) => now?.orchestrator?.live?.id === attempt });
}

async function allLogs(repo: RepositoryHandle, context: Context, { run, state }: RunSubject): Promise<Outcome> {
  const guide = { id: orchestratorId, launches: state.orchestrator?.launches ?? 0 };
  const started = [...Object.values(state.tasks), guide].filter(({ launches }) => launches > 0);
  if (started.length === 0) return done([`No task of ${run} has started.`], { run, logs: [] });
  const logs: unknown[] = [];
  for (const { id, launches } of started) {
    const attempt = attemptId(run, id, launches);
    if (!context.json) context.terminal.line([{ text: `── ${id}, attempt ${launches}`, tone: 'strong' }]);
    logs.push({ attempt, ...(await wholeLog(repo, context, attempt)).data });
  }
  return done([], { run, logs });
}

async function wholeLog(repo: RepositoryHandle, context: Context, attempt: AttemptId): Promise<Outcome> {
  return done([], { attempt, text: await textOf(repo, context, attempt) });
}

/** Prints the log of a job, or returns it for `--json`. Empty when the directory of the job is gone. */
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

/** Prints all of the output while its file exists. Its last lines stay in the ledger. */
async function printJobLog(
  repo: RepositoryHandle,
  context: Context,
  run: RunId,
  job: JobLog | string,
): Promise<Outcome> {
  if (typeof job === 'string') return usageError('no-log', `logs: ${run}: ${job}`);
  if (!context.json) context.terminal.line([{ text: `── ${job.title}`, tone: 'strong' }]);
  const id = job.log.file.split('/')[0] ?? '';
  const isKept = id !== '' && (await repo.files.readLog(id, 0)).next > 0;
  const text = isKept ? await textOf(repo, context, id) : job.tail;
  if (!context.json && !isKept && text !== '') printLines(context, text);
  return done([], { run, ...job.data, text });
}

/** Prints whole lines as they come, and an unfinished one when the attempt ends. */
async function followLog(
  repo: RepositoryHandle,
  context: Context,
  run: RunId,
  { attempt, isLive: isLiveIn }: { readonly attempt: AttemptId; isLive(now: RunState | null): boolean },
): Promise<Outcome> {
  const left = Promise.withResolvers<'left'>();
  using _signals = context.onSignal(() => left.resolve('left'));
  context.readerGone.addEventListener('abort', () => left.resolve('left'));
  using ticks = ticker(200);
  let from = 0;
  let rest = '';
  for (;;) {
    const isOver = !isLiveIn(foldRun(await repo.ledger.read(run)));
    for (;;) {
      const read = await repo.files.readLog(attempt, from);
      if (read.next === from) break;
      from = read.next;
      const end = (rest + read.text).lastIndexOf('\n') + 1;
      const whole = (rest + read.text).slice(0, end);
      rest = (rest + read.text).slice(end);
      if (whole !== '') emit(context, attempt, whole);
    }
    if (isOver) break;
    if ((await Promise.race([ticks.next(), left.promise])) === 'left')
      return { exit: exitCodes.interrupted, reason: 'interrupted' };
  }
  if (rest !== '') emit(context, attempt, rest);
  return done([], { attempt });
}

function isAttemptLive(state: ReturnType<typeof foldRun>, task: TaskSubject['task'], attempt: AttemptId): boolean {
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

/** The output of a job that ran for the whole run. */
type JobLog = {
  readonly title: string;
  readonly log: LogEvidence;
  readonly tail: string;
  readonly data: object;
};

/** Returns the last output of a check, or says why there is none. */
function lastCheck({ state, stored }: RunSubject, name: string): JobLog | string {
  const checks = stored.flatMap(({ event }) => (event.type === 'check-ended' ? [event] : []));
  const last = checks.findLast(({ check }) => check.name === name);
  if (last !== undefined) {
    const { check, purpose } = last;
    const title = `${name} ${check.outcome} on the ${purpose}, tree ${check.tree.slice(0, 12)}`;
    return { title, log: check.log, tail: checkOutput(check), data: { check: checkDocument(check) } };
  }
  const known = state.plan.checks.map((check) => check.name);
  if (known.length === 0) return `there is no check ${name}; the plan has no checks`;
  return known.includes(name)
    ? `${name} has not run yet`
    : `there is no check ${name}; the plan has ${known.join(', ')}`;
}

/** Returns the output of the last rebuild of generated files, or says why there is none. */
function lastGenerated({ state, stored }: RunSubject): JobLog | string {
  const last = stored.findLast(({ event }) => event.type === 'generator-ended')?.event;
  if (last?.type === 'generator-ended') {
    const title = `generated files of wave ${last.wave + 1}: ${endingText(last.ending)}`;
    const ending = endingDocument(last.ending);
    return { title, log: last.log, tail: last.tail, data: { generated: { ending, log: last.log } } };
  }
  const paths = generatedPaths(state.plan);
  if (paths.length === 0) return 'the plan has no generated files';
  return `${paths.join(', ')} ${paths.length === 1 ? 'has' : 'have'} not been rebuilt yet`;
}
