import { err, ok } from '../../domain/result.ts';
import { problem } from '../../protocol/problem.ts';
import type { repositoryRoutes } from '../../protocol/routes/repositories.ts';
import { pageOf } from '../pages.ts';
import type { Handlers, RepositoryEntry, Site } from '../site.ts';

export const repositoryHandlers: Handlers<typeof repositoryRoutes> = {
  repositories: async ({ query }, site) => {
    const all = await site.repositories.list();
    return pageOf(
      all.map((entry) => document(entry, site)),
      query,
      (entry) => entry.id,
    );
  },
  repository: async ({ params }, site) => {
    const all = await site.repositories.list();
    const entry = all.find((one) => one.id === params.repository);
    return entry === undefined ? err(noRepository(params.repository)) : ok(document(entry, site));
  },
};

export const noRepository = (id: string) =>
  problem(404, 'unknown-repository', `there is no repository ${id} here`, {
    field: 'params.repository',
    next: 'GET /v1/repositories lists them',
  });

const document = ({ id, checkout, present }: RepositoryEntry, { repositories }: Site) => ({
  id,
  checkout,
  present,
  home: repositories.home === id,
});
