import { type RunId, runId, type TaskId, taskId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { aheadInQueue, isInQueue } from '../../domain/landing/landing-queue.ts';
import { orchestratorId } from '../../domain/orchestrator/orchestrator.ts';
import { foldRepository, type RepositoryState } from '../../domain/repository/repository.ts';
import { foldRun, type RunState } from '../../domain/run/run.ts';
import { isLive } from '../../domain/run/schedule.ts';
import { isRunStream, type Ledger, repositoryStream, type Stored } from '../../ports/ledger.ts';

/** A run as it is in the ledger. `state` is null until a coordinator has created the run. */
export type KnownRun = {
  readonly run: RunId;
  readonly state: RunState | null;
  readonly stored: readonly Stored[];
};

export type Subject = KnownRun & { readonly task: TaskId | null };

/** `reason` is for programs, `message` is one line for people. */
type NotFound = {
  readonly reason: 'bad-id' | 'no-run' | 'unknown-run' | 'unknown-task' | 'ambiguous';
  readonly message: string;
};

/** True until a run has ended; an order is open, too. */
export const isOpen = ({ state }: KnownRun): boolean => state === null || state.ended === null;

/** Returns the run that moves the branch before this one; null when it is this run's turn or it moves nothing. */
export const landsBefore = (runs: readonly KnownRun[], state: RunState): RunId | null =>
  isInQueue(state)
    ? aheadInQueue(
        runs.flatMap((known) => known.state ?? []),
        state,
      )
    : null;

/** Returns the number of running attempts in all runs when the limit is reached; null while there is room. */
export function fullAt(runs: readonly KnownRun[], most: number): number | null {
  const live = runs.flatMap(({ state }) => Object.values(state?.tasks ?? {}).filter(isLive)).length;
  return live >= most ? live : null;
}

/** Returns all runs of the repository, oldest first. */
export async function knownRuns(ledger: Ledger): Promise<readonly KnownRun[]> {
  const streams = (await ledger.streams()).filter(isRunStream);
  const runs = await Promise.all(streams.map((stream) => readRun(ledger, runId(stream))));
  return runs.toSorted((a, b) => born(a) - born(b));
}

/** Returns the repository as it is in the ledger. */
export const readRepository = async (ledger: Pick<Ledger, 'read'>): Promise<RepositoryState> =>
  foldRepository(await ledger.read(repositoryStream));

export async function readRun(ledger: Ledger, run: RunId): Promise<KnownRun> {
  const stored = await ledger.read(run);
  return { run, state: foldRun(stored), stored };
}

/**
 * Finds the run or task that a person names: `run`, `run/task`, a unique prefix of either, a task of the live run, or nothing for
 * the live run itself. Nothing is guessed: several matches are listed.
 */
export function findSubject(
  runs: readonly KnownRun[],
  reference: string | undefined,
  otherwise: 'newest' | 'none' = 'none',
): Result<Subject, NotFound> {
  if (reference === undefined) return taskless(defaultRun(runs, otherwise));
  if (!/^[a-z0-9][a-z0-9-]*(\/[a-z0-9][a-z0-9-]*)?$/.test(reference))
    return err({
      reason: 'bad-id',
      message: `${JSON.stringify(reference)} is neither a run nor run/task; see tidegate status --all`,
    });
  const [runPart = '', taskPart] = reference.split('/');
  const found = pickRun(runs, runPart);
  const task = taskPart === undefined ? taskOfLive(runs, reference, found) : null;
  if (task !== null) return task;
  if (found.ok && taskPart === undefined) return taskless(found);
  if (found.ok) return findTask(found.value, taskPart ?? '');
  if (found.error === 'ambiguous') {
    const fitting = runs.filter(({ run }) => run.startsWith(runPart));
    const live = fitting.filter(isOpen);
    const names = (live.length === 0 ? fitting : live).map(({ run }) => run);
    return err({ reason: 'ambiguous', message: `${runPart} fits several runs: ${names.join(', ')}` });
  }
  if (taskPart === undefined) {
    const live = defaultRun(runs, otherwise);
    const task = live.ok ? findTask(live.value, reference) : live;
    if (task.ok || (live.ok && task.error.reason === 'ambiguous')) return task;
    const owner = runs.findLast(({ state }) => Object.hasOwn(state?.tasks ?? {}, reference));
    if (owner !== undefined)
      return err({
        reason: 'unknown-run',
        message: `no run ${reference}; the last task of that name is ${owner.run}/${reference}`,
      });
  }
  const known = runs.slice(-3).map(({ run }) => run);
  const hint =
    known.length === 0 ? 'there is no run here yet' : `there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`;
  return err({
    reason: 'unknown-run',
    message: `no run ${runPart}; ${hint}${taskPart === undefined ? tasksOf(defaultRun(runs, otherwise)) : ''}`,
  });
}

/** A misspelt task looks like an unknown run, so the tasks are listed. */
function tasksOf(live: Result<KnownRun, NotFound>): string {
  const tasks = live.ok ? Object.keys(live.value.state?.tasks ?? {}) : [];
  return live.ok && tasks.length > 0 ? `; tasks of ${live.value.run} are ${listed(tasks)}` : '';
}

function defaultRun(runs: readonly KnownRun[], otherwise: 'newest' | 'none'): Result<KnownRun, NotFound> {
  const live = runs.filter(isOpen);
  const [first, ...more] = live;
  if (first !== undefined && more.length === 0) return ok(first);
  if (first !== undefined)
    return err({
      reason: 'ambiguous',
      message: `several runs are live, so say which: ${live.map(({ run }) => run).join(', ')}`,
    });
  const newest = runs.at(-1);
  if (newest === undefined)
    return err({ reason: 'no-run', message: 'there is no run here yet; begin with tidegate run' });
  if (otherwise === 'newest') return ok(newest);
  return err({ reason: 'no-run', message: `no run is open; the newest is ${newest.run}` });
}

function findTask(known: KnownRun, reference: string): Result<Subject, NotFound> {
  const tasks = Object.keys(known.state?.tasks ?? {});
  const found = pick(tasks, (task) => task, reference);
  if (found.ok) return ok({ ...known, task: taskId(found.value) });
  if (found.error === 'ambiguous') {
    const names = tasks.filter((task) => task.startsWith(reference)).map((task) => `${known.run}/${task}`);
    return err({ reason: 'ambiguous', message: `${reference} fits several tasks: ${names.join(', ')}` });
  }
  if (reference === orchestratorId && known.state?.plan.orchestrator !== undefined)
    return err({
      reason: 'unknown-task',
      message: `the orchestrator of ${known.run} is not a task. See: tidegate show ${known.run}/${reference}; write to it: tidegate post ${known.run} -m "…"`,
    });
  return err({ reason: 'unknown-task', message: `${known.run} has no task ${reference}; it has ${listed(tasks)}` });
}

/** Returns the run with this name; otherwise the only live run, or the only run, with this prefix. */
function pickRun(runs: readonly KnownRun[], reference: string): Result<KnownRun, 'unknown' | 'ambiguous'> {
  const name = (known: KnownRun): string => known.run;
  const live = pick(runs.filter(isOpen), name, reference);
  const any = pick(runs, name, reference);
  return any.ok || !live.ok ? any : live;
}

/** Returns the task of the only live run with exactly this name, unless a run has it: `drop p` means the task p, not a run with that prefix. */
function taskOfLive(
  runs: readonly KnownRun[],
  reference: string,
  found: Result<KnownRun, 'unknown' | 'ambiguous'>,
): Result<Subject, NotFound> | null {
  const [live, ...more] = runs.filter(isOpen);
  if (live === undefined || more.length > 0 || (found.ok && found.value.run === reference)) return null;
  return Object.hasOwn(live.state?.tasks ?? {}, reference) ? ok({ ...live, task: taskId(reference) }) : null;
}

/** Returns the item with this name, or the only one with this prefix. */
function pick<T>(all: readonly T[], name: (one: T) => string, reference: string): Result<T, 'unknown' | 'ambiguous'> {
  const exact = all.find((one) => name(one) === reference);
  if (exact !== undefined) return ok(exact);
  const [first, ...more] = all.filter((one) => name(one).startsWith(reference));
  if (first === undefined) return err('unknown');
  return more.length === 0 ? ok(first) : err('ambiguous');
}

const taskless = (found: Result<KnownRun, NotFound>): Result<Subject, NotFound> =>
  found.ok ? ok({ ...found.value, task: null }) : found;

const listed = (names: readonly string[]): string =>
  names.length <= 8 ? names.join(', ') : `${names.slice(0, 8).join(', ')} and ${names.length - 8} more`;

const born = ({ stored }: KnownRun): number => stored[0]?.seq ?? 0;
