import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { owesDeliveries } from '../../adapters/outbox/index.ts';
import { personsHome, personsName } from '../../adapters/process/caller.ts';
import { KeyUnsafe, type ServerState, serverState } from '../../adapters/server-state/index.ts';
import { findRepository, knownRepositories, repositoryName, stateRoot } from '../../adapters/state-directory/index.ts';
import { refuseAgent } from '../../cli/frame/act.ts';
import type { Context } from '../../cli/frame/command.ts';
import type { Listen, RunningServer, ServePorts } from '../../cli/frame/ports.ts';
import { routes } from '../../contract/routes.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { Examined } from '../../ports/repository-handle.ts';
import { upgradeRoutes } from '../../protocol/routes/server.ts';
import { feedsOf } from '../../server/feed/feed.ts';
import { socketsOf } from '../../server/feed/sockets.ts';
import { repositoriesOf } from '../../server/find.ts';
import { upgradeHandlers } from '../../server/handlers/server.ts';
import { handlers } from '../../server/handlers.ts';
import { frontPage } from '../../server/http/front-page.ts';
import { oneTimeLinks } from '../../server/http/keys.ts';
import { httpServer, type ServerOptions } from '../../server/http/server.ts';
import { NotOpened, type ProtocolHandler, type Repositories } from '../../server/site.ts';
import { callerAt, openRepository } from './open-repository.ts';

const placeInputs = (context: Context) => ({
  flag: context.stateRoot,
  env: context.env,
  uid: process.getuid?.() ?? -1,
  home: personsHome(),
});

export const servePorts: ServePorts = {
  state: async (context) => {
    const state = await serverState(stateRoot(placeInputs(context)).path);
    return { ...state, secret: () => secretOf(state) };
  },
  start,
};

async function start(context: Context, listen: Listen): Promise<Result<RunningServer, string>> {
  const { path: root } = stateRoot(placeInputs(context));
  const state = await serverState(root);
  const other = state.serving();
  if (other !== null) return err(`a server is running already: ${other.url} (process ${other.pid})`);
  const key = secretOf(state);
  if (!key.ok) return key;
  const tls = listen.tls === null ? ok(null) : await tlsOf(listen.tls);
  if (!tls.ok) return tls;
  const home = await homeRepository(context);
  if (!home.ok) return home;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const repositories = repositoriesOf({
    list: () => knownRepositories(root),
    home: home.value,
    openRepository: async ({ checkout }) => {
      const repo = await openRepository({ ...context, cwd: checkout }, 'act');
      if (!repo.ok) throw new NotOpened(repo.error);
      return repo.value;
    },
    failed: (id, error) => context.terminal.problem(`tidegate: the coordinator of ${id} failed: ${String(error)}`),
  });
  const by = { who: personsName(process.env), via: 'api' } as const;
  const access = { hosts: [] as string[], origins: [] as string[], secret: key.value };
  const links = oneTimeLinks(() => access.secret, Date.now);
  const fault = (error: unknown): void =>
    context.terminal.problem(
      `tidegate: fault: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  const feeds = feedsOf(fault);
  const sockets = socketsOf({ repositories, feeds, fault });
  const mcp = assistants(context, fault);
  const served: ServerOptions = {
    routes: { ...routes, ...upgradeRoutes },
    handlers: { ...handlers, ...upgradeHandlers },
    access,
    links,
    pages: frontPage,
    sockets,
    site: (role, key) => ({
      repositories,
      caller: { role, by },
      key,
      feeds,
      links,
      mcp,
      examine: () => examineAll(context),
      version: context.version,
      now: () => new Date(),
    }),
    now: Date.now,
    fault,
  };
  const server = httpServer(served, tls.value);
  if (listen.socket !== null) await removeDeadSocket(listen.socket);
  const listening = await listenOn(server, listen);
  if (!listening.ok) {
    await sockets[Symbol.asyncDispose]();
    await repositories[Symbol.asyncDispose]();
    return listening;
  }
  const scheme = listen.tls === null ? 'http' : 'https';
  const names = namesOf(listen, listening.value);
  access.hosts.push(...names);
  access.origins.push(...names.map((name) => `${scheme}://${name}`));
  const url = listen.socket === null ? `${scheme}://${names[0] ?? ''}` : `unix:${listen.socket}`;
  const watching = state.watchSecret(() => {
    const renewed = secretOf(state);
    if (renewed.ok && renewed.value.equals(access.secret)) return;
    if (!renewed.ok) context.terminal.problem(`tidegate: ${renewed.error}; until then every request is refused`);
    access.secret = renewed.ok ? renewed.value : randomBytes(32);
    links.clear();
    sockets.hangUp();
    server.closeAllConnections();
  });
  state.recordServing(url);
  void takeUpDeliveries(root, repositories).catch(fault);
  server.on('error', failed.reject);
  return ok({
    url,
    failed: failed.promise,
    // a link lets its user decide, so an agent gets none
    link:
      refuseAgent({ caller: await callerAt(context) }, 'tidegate serve') === null
        ? () => `${url}/enter/${links.make('approve').code}`
        : null,
    stop: async () => {
      state.forgetServing();
      watching[Symbol.dispose]();
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
async function takeUpDeliveries(root: string, repositories: Repositories): Promise<void> {
  for (const { id, present } of await knownRepositories(root))
    if (present && owesDeliveries(join(root, id))) await (await repositories.open(id))?.repo.ensureCoordinator();
}

/** Serves MCP for each repository. The library is loaded at the first request. */
function assistants(context: Context, fault: (error: unknown) => void): (checkout: string) => ProtocolHandler {
  const known = new Map<string, Promise<ProtocolHandler>>();
  const load = async (checkout: string): Promise<ProtocolHandler> => {
    const [{ assistantHandler }, { commandList }, { ports }] = await Promise.all([
      import('../../cli/commands/serve/mcp-server.ts'),
      import('../../cli/commands/list.ts'),
      import('../ports.ts'),
    ]);
    return assistantHandler({ commands: commandList, ports }, { ...context, cwd: checkout }, fault);
  };
  return (checkout) => async (request, body) => {
    const passing = known.get(checkout) ?? load(checkout);
    known.set(checkout, passing);
    return await (await passing)(request, body);
  };
}

async function examineAll(context: Context): Promise<readonly Examined[]> {
  const { examinations } = await import('../examinations/examinations.ts');
  const examined: Examined[] = [];
  for (const examine of examinations) examined.push(await examine(context));
  return examined;
}

/** Creates the state of the repository around us, so that it is listed from the start. Null outside a repository. */
async function homeRepository(context: Context): Promise<Result<string | null, string>> {
  const found = await findRepository(context.cwd);
  if (!found.ok) return ok(null);
  const repo = await openRepository(context, 'act');
  if (!repo.ok) return repo;
  await repo.value[Symbol.asyncDispose]();
  return ok(repositoryName(found.value));
}

function secretOf(state: ServerState): Result<Buffer, string> {
  try {
    return ok(state.secret());
  } catch (error) {
    if (error instanceof KeyUnsafe) return err(error.message);
    throw error;
  }
}

/** Reads the files before anything starts: a problem with them is a mistake of the caller, not a fault. */
async function tlsOf(files: NonNullable<Listen['tls']>): Promise<Result<{ cert: Buffer; key: Buffer }, string>> {
  try {
    const [cert, key] = await Promise.all([readFile(files.cert), readFile(files.key)]);
    createSecureContext({ cert, key });
    return ok({ cert, key });
  } catch (error) {
    return err(`cannot use ${files.cert} and ${files.key} for TLS: ${(error as Error).message}`);
  }
}

/** Returns the `Host` values that lead here, with the port unless it is the default of the scheme. */
function namesOf({ socket, names, tls }: Listen, port: number): readonly string[] {
  if (socket !== null) return ['localhost'];
  const usual = tls === null ? 80 : 443;
  return [...names, '127.0.0.1', 'localhost', '[::1]'].flatMap((name) =>
    port === usual ? [`${name}:${port}`, name] : [`${name}:${port}`],
  );
}

/** Removes the socket of a killed server. Anything else in that place stays. */
async function removeDeadSocket(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return;
  const isDead = await new Promise<boolean>((resolve) => {
    const socket = connect({ path }, () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
  if (isDead) rmSync(path, { force: true });
}

/** Returns the port; 0 for a socket. */
function listenOn(server: Server, { socket, host, port }: Listen): Promise<Result<number, string>> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(err(listenProblem(error, socket ?? `${host}:${port}`))),
    );
    const listening = (): void => {
      server.removeAllListeners('error');
      if (socket !== null) chmodSync(socket, 0o600);
      resolve(ok(socket === null ? (server.address() as AddressInfo).port : 0));
    };
    if (socket === null) server.listen({ host, port }, listening);
    else {
      // private from the first moment, not only after the chmod
      const before = process.umask(0o177);
      server.listen({ path: socket }, listening);
      process.umask(before);
    }
  });
}

function listenProblem(error: NodeJS.ErrnoException, where: string): string {
  if (error.code === 'EADDRINUSE') return `${where} is in use; choose another with --port or --socket`;
  if (error.code === 'EACCES') return `${where} is not yours to use; choose another with --port or --socket`;
  return `cannot listen on ${where}: ${error.message}`;
}
