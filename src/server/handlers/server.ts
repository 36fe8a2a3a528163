import { ok } from '../../domain/base/result.ts';
import type { serverRoutes } from '../../protocol/routes/server.ts';
import type { Handlers } from '../site.ts';

export const serverHandlers: Handlers<typeof serverRoutes> = {
  server: async (_given, { version, caller, repositories }) =>
    ok({ version, role: caller.role, home: repositories.home }),
  doctor: async (_given, site) => {
    const examined = await site.examine();
    return ok({ ready: examined.every(({ state }) => state !== 'bad'), examined });
  },
  link: async ({ body }, { links }) => {
    const { code, expires } = links.make(body.role);
    return ok({ path: `/enter/${code}`, expires: new Date(expires).toISOString() });
  },
};
