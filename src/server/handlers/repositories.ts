import { err, ok } from '../../domain/base/result.ts';
import type { repositoryRoutes } from '../../protocol/routes/repositories.ts';
import { noRepository } from '../found.ts';
import { pageOf } from '../http/pages.ts';
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

const document = ({ id, checkout, present }: RepositoryEntry, { repositories }: Site) => ({
  id,
  checkout,
  present,
  home: repositories.home === id,
});
