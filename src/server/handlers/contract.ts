import { type OpenApi, openApi } from '../../contract/openapi.ts';
import { routes } from '../../contract/routes.ts';
import { ok } from '../../domain/base/result.ts';
import type { contractRoutes } from '../../protocol/routes/contract.ts';
import type { Handlers } from '../site.ts';

/** Made once: a server has one version and one table of routes. */
const made = new Map<string, OpenApi>();

export const contractHandlers: Handlers<typeof contractRoutes> = {
  openapi: async (_given, { version }) => {
    const document = made.get(version) ?? openApi(routes, version);
    made.set(version, document);
    return ok(document);
  },
};
