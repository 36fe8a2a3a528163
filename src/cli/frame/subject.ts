import type { TaskId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { theRepository } from '../../domain/repository/repository.ts';
import type { RunState } from '../../domain/run/run.ts';
import type { Subjects } from '../../engine/actions/action.ts';
import { currentRuns } from '../../engine/orders/current-run.ts';
import {
  findSubject,
  isOpen,
  type KnownRun,
  knownRuns,
  readRepository,
  type Subject,
} from '../../engine/orders/find-run.ts';
import { LedgerDamaged, LedgerUnavailable } from '../../ports/ledger.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { type Context, done, failure, type Outcome, usageError } from './command.ts';
import type { OpenRepository, RepositoryAccess } from './ports.ts';

/** Opens the repository, runs the body and closes it. A ledger that cannot be used becomes a one-line failure. */
export async function withRepository(
  open: OpenRepository,
  context: Context,
  access: RepositoryAccess,
  body: (repo: RepositoryHandle) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    const opened = await open(context, access);
    if (!opened.ok) return usageError('no-repository', opened.error);
    await using repo = opened.value;
    return await body(repo);
  } catch (error) {
    if (error instanceof LedgerDamaged) return failure('ledger-damaged', error.message);
    if (error instanceof LedgerUnavailable) return failure('ledger-unavailable', error.message);
    throw error;
  }
}

/** Says that the coordinator is suspended, and how to continue it. */
export const stoppedNote = (pid: number): string =>
  `the coordinator (process ${pid}) is suspended and does not answer. Continue it: kill -CONT ${pid}`;

/** A run that a coordinator has started. */
export type RunSubject = KnownRun & { readonly state: RunState };
export type TaskSubject = RunSubject & { readonly task: TaskId };

/** The run to take when none is typed and none is live. */
type Otherwise = 'newest' | 'none';

/** Finds the run or task that a person typed, or says why it is not clear. Prefers runs that `suit` the command. */
export async function resolveSubject(
  repo: RepositoryHandle,
  command: string,
  typed: string | undefined,
  otherwise: Otherwise = 'none',
  suit: (known: KnownRun) => boolean = () => false,
): Promise<Result<Subject, Outcome>> {
  const runs = await knownRuns(repo.ledger);
  const preferred = findSubject(runs.filter(suit), typed, otherwise);
  // a run that is over by now is not live, even if no coordinator has recorded that
  const subject = preferred.ok ? preferred : findSubject(await currentRuns(repo), typed, otherwise);
  if (!subject.ok) return err(usageError(subject.error.reason, `${command}: ${subject.error.message}`));
  const { run, task } = subject.value;
  return ok({ ...(runs.find((known) => known.run === run) ?? subject.value), task });
}

/** Like `resolveSubject`, for a run that a coordinator has started. */
export async function resolveRun(
  repo: RepositoryHandle,
  command: string,
  typed: string | undefined,
  otherwise: Otherwise = 'none',
  suit?: (known: KnownRun) => boolean,
): Promise<Result<RunSubject & { readonly task: TaskId | null }, Outcome>> {
  const subject = await resolveSubject(repo, command, typed, otherwise, suit);
  if (!subject.ok) return subject;
  const { state, run } = subject.value;
  if (state !== null) return ok({ ...subject.value, state });
  return err(
    usageError('not-made', `${command}: no coordinator has started ${run} yet. Start one: tidegate resume ${run}`),
  );
}

/** Finds the run whose orchestrator is typed, as `run/orchestrator` or alone. Null when something else is typed. */
export async function orchestratorSubject(
  repo: RepositoryHandle,
  command: string,
  typed: string | undefined,
): Promise<Result<RunSubject, Outcome> | null> {
  const named = /^(?:([^/]+)\/)?orchestrator$/.exec(typed ?? '');
  if (named === null) return null;
  const subject = await resolveRun(repo, command, named[1], 'newest');
  if (!subject.ok) return subject;
  return subject.value.state.plan.orchestrator === undefined ? null : subject;
}

/** Finds a task, typed as `run/task` or as a task of the live run. Nothing typed means the only task. */
export async function resolveTask(
  repo: RepositoryHandle,
  command: string,
  typed: string | undefined,
  otherwise: Otherwise = 'none',
): Promise<Result<TaskSubject, Outcome>> {
  const subject = await resolveRun(repo, command, typed, otherwise);
  if (!subject.ok) return subject;
  const { task, run, state } = subject.value;
  const [only, ...more] = Object.values(state.tasks);
  if (task !== null) return ok({ ...subject.value, task });
  if (only !== undefined && more.length === 0) return ok({ ...subject.value, task: only.id });
  const names = Object.keys(state.tasks).slice(0, 8).join(', ');
  return err(usageError('no-task', `${command}: which task of ${run}? ${names}`));
}

/** Finds a whole run: letters that both a run and its task begin with mean the run. */
export async function resolveWholeRun(
  repo: RepositoryHandle,
  command: string,
  typed: string | undefined,
  otherwise: Otherwise = 'none',
): Promise<Result<RunSubject, Outcome>> {
  const subject = await resolveRun(repo, command, typed, otherwise);
  if (!subject.ok || subject.value.task === null || subject.value.run.startsWith(typed ?? '')) return subject;
  const { run, task } = subject.value;
  return err(usageError('not-a-run', `${command}: takes a run, not the task ${run}/${task}`));
}

/** The repository itself, for actions on its board and on its branches. */
export const repositorySubject = async (repo: RepositoryHandle): Promise<Subjects['repository']> => ({
  run: theRepository,
  repository: await readRepository(repo.ledger),
});

/** Shows the run that was typed. Without one, and with several live runs, shows each of them. */
export async function showEach(
  repo: RepositoryHandle,
  typed: string | undefined,
  show: (typed: string | undefined) => Promise<Outcome>,
): Promise<Outcome> {
  const live = typed === undefined ? (await currentRuns(repo)).filter(isOpen) : [];
  if (live.length < 2) return await show(typed);
  const outcomes: Outcome[] = [];
  for (const { run } of live) outcomes.push(await show(run));
  const lines = outcomes.flatMap((one, index) => [...(index === 0 ? [] : ['']), ...(one.lines ?? [])]);
  return {
    ...done(lines, { runs: outcomes.map(({ data }) => data) }),
    problems: outcomes.flatMap((one) => one.problems ?? []),
  };
}
