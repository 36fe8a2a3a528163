import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type ClientOptions, WebSocket } from 'ws';
import { routes } from '../../src/contract/routes.ts';
import { dcmSessions } from '../../src/dcm/sessions.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import type { RepositoryHandle } from '../../src/ports/repository-handle.ts';
import type { Envelope } from '../../src/protocol/envelope.ts';
import { type FeedLimits, feedsOf, usualLimits } from '../../src/server/feed/feed.ts';
import { socketsOf } from '../../src/server/feed/sockets.ts';
import { handlers } from '../../src/server/handlers.ts';
import { oneTimeLinks, tokenOf } from '../../src/server/http/keys.ts';
import { httpServer } from '../../src/server/http/server.ts';
import { liveRuns } from '../../src/server/live/live-runs.ts';
import type { Repositories, Site } from '../../src/server/site.ts';

export const repository = 'repo-1';

/** The server in this process, on one ledger that it shows as a repository. Its faults are the test's. */
export async function streaming(ledger: Ledger, limits: Partial<FeedLimits> = {}) {
  const secret = Buffer.alloc(32, 7);
  const access = { hosts: [] as string[], origins: [] as string[], secret };
  const faults: unknown[] = [];
  const fault = (error: unknown): void => void faults.push(error);
  const feeds = feedsOf(fault, { ...usualLimits, ...limits });
  const links = oneTimeLinks(() => secret, Date.now);
  // all that a feed needs of a repo
  const repo = { ledger } as RepositoryHandle;
  const repositories: Repositories = {
    list: async () => [{ id: repository, checkout: '/nowhere', present: true }],
    open: async (id) =>
      id === repository ? { id, repo, runs: liveRuns(ledger), sessions: dcmSessions(ledger) } : null,
    home: null,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const sockets = socketsOf({ repositories, feeds, fault });
  const server = httpServer({
    routes,
    handlers,
    access,
    links,
    pages: new Map(),
    sockets,
    // all that the stream needs of a site
    site: () => ({ repositories, feeds, version: 'test' }) as Site,
    now: Date.now,
    fault,
  });
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  access.hosts.push(`127.0.0.1:${port}`);
  access.origins.push(`http://127.0.0.1:${port}`);
  return {
    port,
    /** The most that any one client leaves waiting now, in bytes. */
    mostWaiting: () => Math.max(0, ...[...connections].map(({ writableLength }) => writableLength)),
    faults,
    secret,
    token: tokenOf(secret, 'read'),
    async [Symbol.asyncDispose]() {
      await sockets[Symbol.asyncDispose]();
      await feeds[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Place = { readonly port: number; readonly token: string };
export type Wanted = { readonly repository: string; readonly channel?: string; readonly after?: string };
/** A client that hears until it is cut, by itself or by the server. */
export type Hearing = { cut(): void; readonly over: Promise<unknown> };

/** Over a WebSocket: every message, envelopes and others. */
export async function socketOf(
  place: Place,
  hear: (message: Said) => void = () => undefined,
  options: ClientOptions = {},
) {
  const client = new WebSocket(`ws://127.0.0.1:${place.port}/v1/stream`, ['tidegate'], {
    headers: { authorization: `Bearer ${place.token}` },
    ...options,
  });
  client.on('message', (data) => hear(JSON.parse(String(data)) as Said));
  const over = once(client, 'close');
  await once(client, 'open');
  return {
    client,
    say: (message: object) => client.send(JSON.stringify(message)),
    cut: () => client.terminate(),
    over,
  };
}
export type Said = Partial<Envelope> & { readonly type?: string; readonly [more: string]: unknown };

export async function hearBySocket(place: Place, wanted: Wanted, hear: (envelope: Envelope) => void): Promise<Hearing> {
  const socket = await socketOf(place, (message) => {
    if (message.type === undefined) hear(message as Envelope);
    else if (message.type === 'error') throw new Error(JSON.stringify(message));
  });
  socket.say({ type: 'subscribe', ...wanted });
  return socket;
}

/** Over server-sent events. The cursor goes in the header, as a browser that reconnects sends it. */
export async function hearByEvents(
  { port, token }: Place,
  { repository, channel = 'global', after }: Wanted,
  hear: (envelope: Envelope) => void,
): Promise<Hearing> {
  const asked = request({
    host: '127.0.0.1',
    port,
    path: `/v1/repositories/${repository}/events/stream?channel=${encodeURIComponent(channel)}&after=0`,
    headers: { authorization: `Bearer ${token}`, ...(after === undefined ? {} : { 'last-event-id': after }) },
    agent: false,
  });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`);
  let text = '';
  let isCut = false;
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) if (!isCut && line.startsWith('data: ')) hear(JSON.parse(line.slice(6)) as Envelope);
  });
  // a cut is one
  for (const side of [asked, response]) side.on('error', () => undefined);
  return {
    cut: () => {
      isCut = true;
      asked.destroy();
    },
    over: new Promise((resolve) => response.once('close', resolve)),
  };
}
