import { dcmSessions } from '../../dcm/sessions.ts';
import type { Hosting, RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Repositories, RepositoryEntry, ServedRepository } from '../site.ts';
import { liveRuns } from './live-runs.ts';

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
        const goesOn = (await runs.all()).some(({ state }) => state === null || state.ended === null);
        await (await hosting).stop(goesOn ? 'background' : 'nothing');
      }
      for (const opening of opened.values()) await (await opening).repo[Symbol.asyncDispose]();
    },
  };
}
