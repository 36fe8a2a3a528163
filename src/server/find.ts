import type { DcmContext } from '../dcm/handlers.ts';
import { dcmSessions } from '../dcm/sessions.ts';
import { type TaskId, taskId } from '../domain/base/ids.ts';
import { err, ok, type Result } from '../domain/base/result.ts';
import { foldRun, type RunState } from '../domain/run/run.ts';
import type { TaskState } from '../domain/run/task.ts';
import { isAttended } from '../engine/orders/create-run.ts';
import { currentRun } from '../engine/orders/current-run.ts';
import { fullAt, type KnownRun, landsBefore } from '../engine/orders/find-run.ts';
import type { Stored } from '../ports/ledger.ts';
import type { Hosting, RepositoryHandle } from '../ports/repository-handle.ts';
import { type Problem, problem } from '../protocol/problem.ts';
import type { RunView } from '../view/run-view.ts';
import { timesOf } from '../view/task-view.ts';
import { type LiveRun, liveRuns } from './live/live-runs.ts';
import type { Repositories, RepositoryEntry, ServedRepository, Site } from './site.ts';

/** A run that a route is about, now or as of an event. */
export type SiteRun = {
  readonly repository: ServedRepository;
  /** As the ledger has it, for requests. */
  readonly state: RunState;
  readonly stored: readonly Stored[];
  /** As it is now, for people. */
  readonly view: RunView;
};
export type SiteTask = SiteRun & { readonly task: TaskState };

/** Returns 404 for an event in the future: the repository may still become anything by then. */
export async function findRepositoryAt(
  site: Site,
  id: string,
  at?: number,
): Promise<Result<ServedRepository, Problem>> {
  const repository = await site.repositories.open(id);
  if (repository === null) return err(noRepository(id));
  const head = at === undefined ? 0 : await repository.repo.ledger.head();
  if (at !== undefined && at > head)
    return err(
      problem(404, 'not-yet', `event ${at} has not happened yet; the last one is ${head}`, {
        field: 'query.at',
        next: 'leave out `at` for the present state',
      }),
    );
  return ok(repository);
}

/** Finds the repository for a path that names none: the one in the query, else the server's own, else the only one. */
export async function findQueriedRepository(
  site: Site,
  { repository, at }: { readonly repository?: string | undefined; readonly at?: number | undefined },
): Promise<Result<ServedRepository, Problem>> {
  const name = repository ?? site.repositories.home;
  if (name !== null) return await findRepositoryAt(site, name, at);
  const all = await site.repositories.list();
  const [only, ...more] = all;
  if (only !== undefined && more.length === 0) return await findRepositoryAt(site, only.id, at);
  return err(
    only === undefined
      ? problem(409, 'which-repository', 'there is no repository here yet', {
          field: 'query.repository',
          next: 'start tidegate serve in a repository',
        })
      : problem(409, 'which-repository', `there are several repositories: ${all.map(({ id }) => id).join(', ')}`, {
          field: 'query.repository',
          next: `name one: ?repository=${only.id}`,
        }),
  );
}

/** Finds the DCM sessions that a request is about. */
export async function dcmContext(
  site: Site,
  query: Parameters<typeof findQueriedRepository>[1],
): Promise<Result<DcmContext, Problem>> {
  const repository = await findQueriedRepository(site, query);
  return repository.ok ? ok({ sessions: repository.value.sessions, by: site.caller.by, key: site.key }) : repository;
}

export async function findRun(
  site: Site,
  { repository: id, run }: { readonly repository: string; readonly run: string },
  at?: number,
): Promise<Result<SiteRun, Problem>> {
  const repository = await findRepositoryAt(site, id, at);
  if (!repository.ok) return repository;
  const known = await repository.value.runs.find(run);
  if (known === undefined) return err(noRun(run));
  const then = at === undefined ? known : asOf(known, at);
  if (then.state === null)
    return err(
      at === undefined
        ? problem(409, 'not-made', `${run} is ordered, but no coordinator has started it yet`, {
            next: `tidegate resume ${run}`,
          })
        : problem(404, 'not-yet', `the run ${run} did not exist yet at event ${at}`, { field: 'query.at' }),
    );
  const { state, stored, times } = then;
  const now = at === undefined ? site.now().toISOString() : (stored.at(-1)?.at ?? '');
  const seen = at === undefined ? (await currentRun({ state }, { now, git: repository.value.repo.git })).state : state;
  return ok({ repository: repository.value, state, stored, view: { state: seen, times, now } });
}

export async function findTask(
  site: Site,
  params: { readonly repository: string; readonly run: string; readonly task: string },
  at?: number,
): Promise<Result<SiteTask, Problem>> {
  const run = await findRun(site, params, at);
  if (!run.ok) return run;
  const { tasks } = run.value.state;
  const task = Object.hasOwn(tasks, params.task) ? tasks[taskId(params.task) as TaskId] : undefined;
  return task === undefined
    ? err(
        problem(404, 'unknown-task', `${params.run} has no task ${params.task}`, {
          field: 'params.task',
          next: `it has ${Object.keys(tasks).slice(0, 8).join(', ')}`,
        }),
      )
    : ok({ ...run.value, task });
}

/** Returns the facts beside the run itself that `why` needs. */
export async function whyContext({ repository, view }: SiteRun) {
  const runs = await currentLiveRuns(repository, view.now);
  const full = fullAt(runs, (await repository.repo.settings()).machine.agents);
  return { ahead: landsBefore(runs, view.state), full, attended: await isAttended(repository.repo, view) };
}

/** Returns all runs as they are now, also if no coordinator has recorded that yet. */
export const currentLiveRuns = async (
  { runs, repo: { git } }: ServedRepository,
  now: string,
): Promise<readonly LiveRun[]> => await Promise.all((await runs.all()).map((known) => currentRun(known, { now, git })));

/** Returns the run as of an event, that one included. */
export function asOf(known: KnownRun, at: number): LiveRun {
  const stored = known.stored.filter(({ seq }) => seq <= at);
  return { run: known.run, stored, state: foldRun(stored), times: timesOf(stored) };
}

/** Returns a page of a list whose order never changes. The cursor names the last item of the page before. */
export function pageOf<T>(
  all: readonly T[],
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  nameOf: (one: T) => string,
): Result<{ readonly items: readonly T[]; readonly next: string | null }, Problem> {
  const after = cursor === undefined ? -1 : all.findIndex((one) => nameOf(one) === cursor);
  if (cursor !== undefined && after < 0)
    return err(
      problem(410, 'bad-cursor', 'no item of this list has this cursor', {
        field: 'query.cursor',
        next: 'start again without a cursor',
      }),
    );
  const items = all.slice(after + 1, after + 1 + limit);
  const last = items.at(-1);
  return ok({ items, next: last === undefined || after + 1 + limit >= all.length ? null : nameOf(last) });
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

type RepositoriesOptions = {
  list(): Promise<readonly RepositoryEntry[]>;
  /** Rejects when the repository cannot be opened. */
  openRepository(entry: RepositoryEntry): Promise<RepositoryHandle>;
  readonly home: string | null;
  /** Reports a hosted coordinator that failed. The next command starts another. */
  failed(id: string, error: unknown): void;
};

/** Opens each repository at its first request, and hosts its coordinator when one is needed. */
export function repositoriesOf(options: RepositoriesOptions): Repositories {
  const opened = new Map<string, Promise<ServedRepository>>();
  const hosts = new Map<string, Promise<Hosting>>();

  const open = async (entry: RepositoryEntry): Promise<ServedRepository> => {
    const repo = await options.openRepository(entry);
    const host = async (): Promise<Hosting> => {
      const hosting = await repo.host();
      hosting.failed.catch((error: unknown) => {
        hosts.delete(entry.id);
        options.failed(entry.id, error);
      });
      // a guest hosts nothing: the next command tries again
      if (hosting.role === 'guest') hosts.delete(entry.id);
      return hosting;
    };
    const ensureCoordinator = async (): Promise<boolean> => {
      if (await repo.isCoordinated()) return true;
      const hosting = hosts.get(entry.id) ?? host();
      hosts.set(entry.id, hosting);
      await hosting;
      return await repo.isCoordinated();
    };
    return {
      id: entry.id,
      repo: { ...repo, ensureCoordinator },
      runs: liveRuns(repo.ledger),
      sessions: dcmSessions(repo.ledger),
    };
  };

  return {
    list: options.list,
    home: options.home,
    open: async (id) => {
      const earlier = opened.get(id);
      // an open repository need not be looked up again
      if (earlier !== undefined) return await earlier;
      const entry = (await options.list()).find((one) => one.id === id);
      if (entry === undefined) return null;
      const opening = opened.get(id) ?? open(entry);
      opened.set(id, opening);
      // after a failure, the next request tries again
      opening.catch(() => opened.delete(id));
      return await opening;
    },
    async [Symbol.asyncDispose]() {
      for (const [id, hosting] of hosts) {
        const { runs } = await (opened.get(id) ?? Promise.reject(new Error(`${id} is hosted and not open`)));
        const isAnyOpen = (await runs.all()).some(({ state }) => state === null || state.ended === null);
        await (await hosting).stop(isAnyOpen ? 'background' : 'nothing');
      }
      for (const opening of opened.values()) await (await opening).repo[Symbol.asyncDispose]();
    },
  };
}
