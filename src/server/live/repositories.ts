import { dcmSessions } from '../../dcm/sessions.ts';
import type { Hosting, RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Repositories, RepositoryEntry, ServedRepository } from '../site.ts';
import { liveRuns } from './live-runs.ts';

type Shelf = {
  list(): Promise<readonly RepositoryEntry[]>;
  /** Rejects with what kept us from opening it. */
  openRepository(entry: RepositoryEntry): Promise<RepositoryHandle>;
  readonly home: string | null;
  /** A coordinator that this server hosted has failed; the next command starts another. */
  failed(id: string, error: unknown): void;
};

/** Opens each repository when it is first asked for, and hosts its coordinator when there is something to coordinate. */
export function repositoriesOf(shelf: Shelf): Repositories {
  const opened = new Map<string, Promise<ServedRepository>>();
  const hosts = new Map<string, Promise<Hosting>>();

  const open = async (entry: RepositoryEntry): Promise<ServedRepository> => {
    const repo = await shelf.openRepository(entry);
    const host = async (): Promise<Hosting> => {
      const hosting = await repo.host();
      hosting.failed.catch((error: unknown) => {
        hosts.delete(entry.id);
        shelf.failed(entry.id, error);
      });
      // a guest hosts nothing: the next command looks again
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
    list: shelf.list,
    home: shelf.home,
    open: async (id) => {
      const known = opened.get(id);
      // kept open: where it lies need not be looked up again
      if (known !== undefined) return await known;
      const entry = (await shelf.list()).find((one) => one.id === id);
      if (entry === undefined) return null;
      const opening = opened.get(id) ?? open(entry);
      opened.set(id, opening);
      // one that failed is tried again when it is asked for again
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
