import { type TaskId, taskId } from '../domain/base/ids.ts';
import { err, ok, type Result } from '../domain/base/result.ts';
import { foldRun, type RunState } from '../domain/run/run.ts';
import type { TaskState } from '../domain/run/task.ts';
import { isAttended } from '../engine/orders/create-run.ts';
import { fullAt, type KnownRun, landsBefore } from '../engine/orders/find-run.ts';
import type { Stored } from '../ports/ledger.ts';
import { type Problem, problem } from '../protocol/problem.ts';
import type { RunView } from '../view/run-view.ts';
import { timesOf } from '../view/times.ts';
import type { LiveRun } from './live/live-runs.ts';
import type { ServedRepository, Site } from './site.ts';

/** A run that a route is about, at the moment it asks for. */
export type FoundRun = {
  readonly repository: ServedRepository;
  readonly state: RunState;
  readonly stored: readonly Stored[];
  readonly view: RunView;
};
export type FoundTask = FoundRun & { readonly task: TaskState };

/** What is asked for as it was at an event that has not happened is nowhere: it could still become anything. */
export async function siteRepository(site: Site, id: string, at?: number): Promise<Result<ServedRepository, Problem>> {
  const repository = await site.repositories.open(id);
  if (repository === null) return err(noRepository(id));
  const head = at === undefined ? 0 : await repository.repo.ledger.head();
  if (at !== undefined && at > head)
    return err(
      problem(404, 'not-yet', `event ${at} has not happened; the last is ${head}`, {
        field: 'query.at',
        next: 'leave `at` out for how it is now',
      }),
    );
  return ok(repository);
}

export async function runAt(
  site: Site,
  { repository: id, run }: { readonly repository: string; readonly run: string },
  at?: number,
): Promise<Result<FoundRun, Problem>> {
  const repository = await siteRepository(site, id, at);
  if (!repository.ok) return repository;
  const known = await repository.value.runs.find(run);
  if (known === undefined) return err(noRun(run));
  const then = at === undefined ? known : asOf(known, at);
  if (then.state === null)
    return err(
      at === undefined
        ? problem(409, 'not-made', `${run} is ordered, but no coordinator has begun it yet`, {
            next: `tidegate resume ${run}`,
          })
        : problem(404, 'not-yet', `at event ${at} the run ${run} was not there yet`, { field: 'query.at' }),
    );
  const { state, stored, times } = then;
  const now = at === undefined ? site.now().toISOString() : (stored.at(-1)?.at ?? '');
  return ok({ repository: repository.value, state, stored, view: { state, times, now } });
}

export async function taskAt(
  site: Site,
  params: { readonly repository: string; readonly run: string; readonly task: string },
  at?: number,
): Promise<Result<FoundTask, Problem>> {
  const found = await runAt(site, params, at);
  if (!found.ok) return found;
  const task = Object.hasOwn(found.value.state.tasks, params.task) ? taskOf(found.value.state, params.task) : undefined;
  return task === undefined
    ? err(
        problem(404, 'unknown-task', `${params.run} has no task ${params.task}`, {
          field: 'params.task',
          next: `it has ${Object.keys(found.value.state.tasks).slice(0, 8).join(', ')}`,
        }),
      )
    : ok({ ...found.value, task });
}

const taskOf = (state: RunState, id: string): TaskState | undefined => state.tasks[taskId(id) as TaskId];

/** What `why` has to know beside the run itself. */
export async function aroundOf({ repository, view }: FoundRun) {
  const runs = await repository.runs.all();
  const full = fullAt(runs, (await repository.repo.settings()).machine.agents);
  return { ahead: landsBefore(runs, view.state), full, attended: await isAttended(repository.repo, view) };
}

/** As it was when that event had just been stored. */
export function asOf(known: KnownRun, at: number): LiveRun {
  const stored = known.stored.filter(({ seq }) => seq <= at);
  return { run: known.run, stored, state: foldRun(stored), times: timesOf(stored) };
}

export const noRepository = (id: string): Problem =>
  problem(404, 'unknown-repository', `there is no repository ${id} here`, {
    field: 'params.repository',
    next: 'GET /v1/repositories lists them',
  });

export const noRun = (run: string): Problem =>
  problem(404, 'unknown-run', `there is no run ${run} here`, {
    field: 'params.run',
    next: 'list the runs of the repository',
  });
