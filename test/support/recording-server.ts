import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { routes } from '../../src/contract/routes.ts';
import { err } from '../../src/domain/base/result.ts';
import { problem } from '../../src/protocol/problem.ts';
import { type AccessRole, accessRoles, type Route, type UpgradeRoute } from '../../src/protocol/route.ts';
import { upgradeRoutes } from '../../src/protocol/routes/server.ts';
import { frontPage } from '../../src/server/http/front-page.ts';
import { oneTimeLinks, tokenOf } from '../../src/server/http/keys.ts';
import { httpServer, type ServerOptions } from '../../src/server/http/server.ts';
import { type Asked, connected, enteredBy, exchange, rawAnswer } from './server.ts';

export type Called = { readonly route: string; readonly given: { readonly params: Readonly<Record<string, unknown>> } };

/** All routes of the router's own list, in their concrete form. */
export const everyRoute: readonly (readonly [string, Route | UpgradeRoute])[] = Object.entries<Route | UpgradeRoute>({
  ...routes,
  ...upgradeRoutes,
});

/**
 * The server as it is, with its own table of routes, before handlers that only note that they were called and answer 409
 * `tidegate:called`: whatever was refused has not happened, for routes that are yet to come too.
 */
export async function recordingServer(more: Partial<ServerOptions> = {}) {
  const called: Called[] = [];
  const faults: unknown[] = [];
  const secret = randomBytes(32);
  const links = oneTimeLinks(() => secret, Date.now);
  const access = { hosts: [] as string[], origins: [] as string[], secret };
  const handlers = Object.fromEntries(
    everyRoute.map(([route]) => [
      route,
      async (given: Called['given']) => {
        called.push({ route, given });
        return err(problem(409, 'called', 'the handler was called'));
      },
    ]),
  );
  const server = httpServer({
    routes: { ...routes, ...upgradeRoutes },
    handlers: handlers as never,
    access,
    links,
    pages: frontPage,
    sockets: {
      accept: (_request, socket) => {
        called.push({ route: 'a WebSocket', given: { params: {} } });
        socket.destroy();
      },
    },
    site: () => ({}) as never,
    now: Date.now,
    fault: (error) => faults.push(error),
    pace: () => null,
    ...more,
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const { port } = server.address() as AddressInfo;
  const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  access.hosts.push(...names);
  access.origins.push(...names.map((name) => `http://${name}`));
  return {
    server,
    port,
    host: `127.0.0.1:${port}`,
    origin: `http://127.0.0.1:${port}`,
    links,
    secret,
    called,
    faults,
    tokens: Object.fromEntries(accessRoles.map((role) => [role, tokenOf(secret, role)])) as Record<AccessRole, string>,
    entered: (role: AccessRole) => enteredBy(secret, role),
    ask: (method: string, path: string, asked: Asked = {}) => exchange(port, method, path, asked),
    raw: (bytes: string | Buffer) => rawAnswer(port, bytes),
    connect: () => connected(port),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
export type RecordingServer = Awaited<ReturnType<typeof recordingServer>>;

/** A path of the route with each parameter filled in. */
export const pathOf = ({ path }: Pick<Route, 'path'>, value: (name: string) => string = () => 'a1'): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => value(name));
