import { asyncApi } from '../../contract/asyncapi.ts';
import { type OpenApi, openApi } from '../../contract/openapi.ts';
import { routes } from '../../contract/routes.ts';
import { err, ok } from '../../domain/base/result.ts';
import { parseCursor } from '../../protocol/envelope.ts';
import { problem } from '../../protocol/problem.ts';
import type { streamRoutes } from '../../protocol/routes/runs.ts';
import type { contractRoutes, repositoryRoutes, serverRoutes, upgradeRoutes } from '../../protocol/routes/server.ts';
import { findQueriedRepository, noRepository, pageOf } from '../find.ts';
import type { Handlers, RepositoryEntry, Site, UpgradeHandlers } from '../site.ts';

export const serverHandlers: Handlers<typeof serverRoutes> = {
  server: async (_input, { version, caller, repositories }) =>
    ok({ version, role: caller.role, home: repositories.home }),
  doctor: async (_input, site) => {
    const examined = await site.examine();
    return ok({ ready: examined.every(({ state }) => state !== 'bad'), examined });
  },
  link: async ({ body }, { links }) => {
    const { code, expires } = links.make(body.role);
    return ok({ path: `/enter/${code}`, expires: new Date(expires).toISOString() });
  },
};

/** The OpenAPI document, by version. A server has one version and one table of routes. */
const documents = new Map<string, OpenApi>();

export const contractHandlers: Handlers<typeof contractRoutes> = {
  openapi: async (_input, { version }) => {
    const document = documents.get(version) ?? openApi(routes, version);
    documents.set(version, document);
    return ok(document);
  },
};

export const repositoryHandlers: Handlers<typeof repositoryRoutes> = {
  repositories: async ({ query }, site) => {
    const all = await site.repositories.list();
    return pageOf(
      all.map((entry) => showRepository(entry, site)),
      query,
      ({ id }) => id,
    );
  },
  repository: async ({ params }, site) => {
    const all = await site.repositories.list();
    const entry = all.find(({ id }) => id === params.repository);
    return entry === undefined ? err(noRepository(params.repository)) : ok(showRepository(entry, site));
  },
};

const showRepository = ({ id, checkout, present }: RepositoryEntry, { repositories }: Site) => ({
  id,
  checkout,
  present,
  home: repositories.home === id,
});

export const upgradeHandlers: UpgradeHandlers<typeof upgradeRoutes> = {
  mcp: async ({ query }, site) => {
    const repository = await findQueriedRepository(site, query);
    return repository.ok ? ok(site.mcp(repository.value.repo.checkout)) : repository;
  },
};

export const streamHandlers: Handlers<typeof streamRoutes> = {
  watch: async ({ params, query: { after, channel } }, { repositories, feeds }) => {
    const repository = await repositories.open(params.repository);
    if (repository === null) return err(noRepository(params.repository));
    if (!feeds.hasRoom())
      return err(problem(503, 'full', 'the server has as many listeners as it takes', { next: 'close some of them' }));
    const feed = feeds.of(repository);
    const from = await feed.place(after === undefined ? null : parseCursor(after));
    if (from === null)
      return err(
        problem(410, 'bad-cursor', 'the cursor is beyond the end of the ledger', {
          field: 'query.after',
          next: 'start again without a cursor',
        }),
      );
    const { heartbeatMs } = feeds.limits;
    return ok({
      after: from,
      heartbeatMs,
      follow: (sink, dropped) => feed.follow({ channel, after: from, sink, dropped }),
    });
  },
  asyncapi: async (_input, { version }) => ok(asyncApi(version)),
};
