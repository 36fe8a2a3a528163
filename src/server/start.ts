import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { routes } from '../contract/routes.ts';
import { err, ok, type Result } from '../domain/base/result.ts';
import { upgradeRoutes } from '../protocol/routes/server.ts';
import { feedsOf } from './feed/feed.ts';
import { socketsOf } from './feed/sockets.ts';
import { repositoriesOf } from './find.ts';
import { upgradeHandlers } from './handlers/server.ts';
import { handlers } from './handlers.ts';
import { frontPage } from './http/front-page.ts';
import { oneTimeLinks } from './http/keys.ts';
import { hostNames, type Listen, listenOn, readTls } from './http/listen.ts';
import { httpServer } from './http/server.ts';
import type { ProtocolHandler, Repositories, Site } from './site.ts';

/** Everything that a server needs from the process around it. */
export type ServerPorts = Pick<Site, 'examine' | 'version'> & {
  readonly files: ServerFiles;
  readonly repositories: Pick<Parameters<typeof repositoriesOf>[0], 'list' | 'openRepository'>;
  /** Returns the id of the repository that the server is started in. Null outside a repository. */
  home(): Promise<Result<string | null, string>>;
  /** True when a repository still owes deliveries to a webhook. */
  owesDeliveries(id: string): boolean;
  /** Loads the tools of a person's assistant for a checkout. */
  loadMcp(checkout: string, fault: (error: unknown) => void): Promise<ProtocolHandler>;
  /** Recorded with every request. */
  readonly person: string;
  /** False when an agent started the server: a link lets its user decide. */
  readonly mayLink: boolean;
  problem(text: string): void;
};

/** The files that a server shares with commands of the same person. */
type ServerFiles = {
  secret(): Result<Buffer, string>;
  watchSecret(changed: () => void): Disposable;
  serving(): { readonly url: string; readonly pid: number } | null;
  recordServing(url: string): void;
  forgetServing(): void;
};

export type RunningServer = {
  readonly url: string;
  /** Rejects when the server fails; never resolves. */
  readonly failed: Promise<never>;
  /** Makes a one-time link for a browser. Null when the caller may not decide. */
  readonly link: (() => string) | null;
  /** Ends the server. Agents continue, driven from the background. */
  stop(): Promise<void>;
};

/** Starts the server of a person, unless one is running. */
export async function startServer(listen: Listen, ports: ServerPorts): Promise<Result<RunningServer, string>> {
  const { files } = ports;
  const other = files.serving();
  if (other !== null) return err(`a server is running already: ${other.url} (process ${other.pid})`);
  const key = files.secret();
  if (!key.ok) return key;
  const tls = await readTls(listen.tls);
  if (!tls.ok) return tls;
  const home = await ports.home();
  if (!home.ok) return home;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const repositories = repositoriesOf({
    ...ports.repositories,
    home: home.value,
    failed: (id, error) => ports.problem(`tidegate: the coordinator of ${id} failed: ${String(error)}`),
  });
  const by = { who: ports.person, via: 'api' } as const;
  const access = { hosts: [] as string[], origins: [] as string[], secret: key.value };
  const links = oneTimeLinks(() => access.secret, Date.now);
  const fault = (error: unknown): void =>
    ports.problem(`tidegate: fault: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  const feeds = feedsOf(fault);
  const sockets = socketsOf({ repositories, feeds, fault });
  const mcp = mcpOf((checkout) => ports.loadMcp(checkout, fault));
  const { examine, version } = ports;
  const server = httpServer(
    {
      routes: { ...routes, ...upgradeRoutes },
      handlers: { ...handlers, ...upgradeHandlers },
      access,
      links,
      pages: frontPage,
      sockets,
      site: (role, key) => ({
        ...{ repositories, caller: { role, by }, key, feeds, links, mcp, examine, version },
        now: () => new Date(),
      }),
      now: Date.now,
      fault,
    },
    tls.value,
  );
  const listening = await listenOn(server, listen);
  if (!listening.ok) {
    await sockets[Symbol.asyncDispose]();
    await repositories[Symbol.asyncDispose]();
    return listening;
  }
  const scheme = listen.tls === null ? 'http' : 'https';
  const names = hostNames(listen, listening.value);
  access.hosts.push(...names);
  access.origins.push(...names.map((name) => `${scheme}://${name}`));
  const url = listen.socket === null ? `${scheme}://${names[0] ?? ''}` : `unix:${listen.socket}`;
  const secretWatch = files.watchSecret(() => {
    const renewed = files.secret();
    if (renewed.ok && renewed.value.equals(access.secret)) return;
    if (!renewed.ok) ports.problem(`tidegate: ${renewed.error}; until then every request is refused`);
    access.secret = renewed.ok ? renewed.value : randomBytes(32);
    links.clear();
    sockets.hangUp();
    server.closeAllConnections();
  });
  files.recordServing(url);
  void takeUpDeliveries(repositories, ports).catch(fault);
  server.on('error', failed.reject);
  return ok({
    url,
    failed: failed.promise,
    link: ports.mayLink ? () => `${url}/enter/${links.make('approve').code}` : null,
    stop: async () => {
      files.forgetServing();
      secretWatch[Symbol.dispose]();
      await sockets[Symbol.asyncDispose]();
      await feeds[Symbol.asyncDispose]();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      if (listen.socket !== null) rmSync(listen.socket, { force: true });
      await repositories[Symbol.asyncDispose]();
    },
  });
}

/** Starts coordinators for repositories that still owe deliveries to a webhook. */
async function takeUpDeliveries(repositories: Repositories, { owesDeliveries }: ServerPorts): Promise<void> {
  for (const { id, present } of await repositories.list())
    if (present && owesDeliveries(id)) await (await repositories.open(id))?.repo.ensureCoordinator();
}

/** Serves MCP for each repository. Its tools are loaded at the first request. */
function mcpOf(load: (checkout: string) => Promise<ProtocolHandler>): Site['mcp'] {
  const loaded = new Map<string, Promise<ProtocolHandler>>();
  return (checkout) => async (request, body) => {
    const handler = loaded.get(checkout) ?? load(checkout);
    loaded.set(checkout, handler);
    return await (await handler)(request, body);
  };
}
