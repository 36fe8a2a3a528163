import type { TaskId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { RunState } from '../../domain/run/run.ts';
import { findSubject, isOpen, type KnownRun, knownRuns, type Subject } from '../../engine/orders/find-run.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { done, misused, type Outcome } from './command.ts';

export type MadeRun = KnownRun & { readonly state: RunState };
export type MadeTask = MadeRun & { readonly task: TaskId };

/** What was named, or the one line that says why it cannot be told. Runs that `suit` the command come before the others. */
export async function subjectOf(
  repo: RepositoryHandle,
  name: string,
  given: string | undefined,
  otherwise: 'newest' | 'none' = 'none',
  suit: (known: KnownRun) => boolean = () => false,
): Promise<Result<Subject, Outcome>> {
  const runs = await knownRuns(repo.ledger);
  const suiting = findSubject(runs.filter(suit), given, otherwise);
  const found = suiting.ok ? suiting : findSubject(runs, given, otherwise);
  return found.ok ? found : err(misused(found.error.reason, `${name}: ${found.error.message}`));
}

/** A run that a coordinator has made. */
export async function runNamed(
  repo: RepositoryHandle,
  name: string,
  given: string | undefined,
  otherwise: 'newest' | 'none' = 'none',
  suit?: (known: KnownRun) => boolean,
): Promise<Result<MadeRun & { readonly task: TaskId | null }, Outcome>> {
  const found = await subjectOf(repo, name, given, otherwise, suit);
  if (!found.ok) return found;
  const { state } = found.value;
  if (state === null)
    return err(
      misused(
        'not-made',
        `${name}: ${found.value.run} is ordered, but no coordinator has begun it yet: tidegate resume ${found.value.run}`,
      ),
    );
  return ok({ ...found.value, state });
}

/** A task, named as `run/task`, as a task of the live run, or as the only task there is. */
export async function taskNamed(
  repo: RepositoryHandle,
  name: string,
  given: string | undefined,
  otherwise: 'newest' | 'none' = 'none',
): Promise<Result<MadeTask, Outcome>> {
  const found = await runNamed(repo, name, given, otherwise);
  if (!found.ok) return found;
  const { task, run, state } = found.value;
  const [only, ...more] = Object.values(state.tasks);
  if (task !== null) return ok({ ...found.value, task });
  if (only !== undefined && more.length === 0) return ok({ ...found.value, task: only.id });
  return err(misused('no-task', `${name}: which task of ${run}? ${Object.keys(state.tasks).slice(0, 8).join(', ')}`));
}

/** Like `runNamed`, for commands that speak of a whole run: a name that a run and its task begin with means the run. */
export async function wholeRunNamed(
  repo: RepositoryHandle,
  name: string,
  given: string | undefined,
  otherwise: 'newest' | 'none' = 'none',
): Promise<Result<MadeRun, Outcome>> {
  const found = await runNamed(repo, name, given, otherwise);
  if (!found.ok || found.value.task === null || found.value.run.startsWith(given ?? '')) return found;
  return err(misused('not-a-run', `${name}: takes a run, not the task ${found.value.run}/${found.value.task}`));
}

/** Shows something of the run that is meant; without a name and with several live runs, of each of them. */
export async function showEach(
  repo: RepositoryHandle,
  given: string | undefined,
  show: (given: string | undefined) => Promise<Outcome>,
): Promise<Outcome> {
  const live = given === undefined ? (await knownRuns(repo.ledger)).filter(isOpen) : [];
  if (live.length < 2) return await show(given);
  const shown: Outcome[] = [];
  for (const { run } of live) shown.push(await show(run));
  const lines = shown.flatMap((one, index) => [...(index === 0 ? [] : ['']), ...(one.lines ?? [])]);
  return {
    ...done(lines, { runs: shown.map(({ data }) => data) }),
    problems: shown.flatMap((one) => one.problems ?? []),
  };
}
