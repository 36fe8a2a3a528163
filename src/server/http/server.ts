import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Result } from '../../domain/base/result.ts';
import { LedgerDamaged, LedgerUnavailable } from '../../ports/ledger.ts';
import type { Content } from '../../ports/repository-handle.ts';
import { cookieName } from '../../protocol/credentials.ts';
import { type Problem, problem } from '../../protocol/problem.ts';
import type { AccessRole, Route, UpgradeRoute } from '../../protocol/route.ts';
import { type EventStream, sendEvents } from '../feed/event-stream.ts';
import type { Sockets } from '../feed/sockets.ts';
import { NotOpened, type ProtocolHandler, type Site } from '../site.ts';
import { type Pages, strangerPage } from './front-page.ts';
import { type AccessRules, admit, misdirected, type Pace, paceOf } from './guard.ts';
import { type LinkEntry, type Links, mayDo } from './keys.ts';
import {
  refuseUpgrade,
  sendContent,
  sendJson,
  sendLastProblem,
  sendPage,
  sendProblem,
  sendProtocol,
  sendRefusalPage,
} from './reply.ts';
import { queryOf, type RouteMatch, readJson, router, validate } from './router.ts';

export type ServerOptions = {
  readonly routes: Readonly<Record<string, Route | UpgradeRoute>>;
  /** One for each route, by its schemas: `Handlers` and `UpgradeHandlers` hold them to that. */
  readonly handlers: Readonly<Record<string, (input: never, site: Site) => Promise<Result<unknown, Problem>>>>;
  readonly access: AccessRules;
  readonly links: Links;
  readonly pages: Pages;
  readonly sockets: Pick<Sockets, 'accept'>;
  /** Returns the server as one request sees it. */
  site(role: AccessRole, key: string | null): Site;
  now(): number;
  /** Reports faults of our own; callers only learn that there was one. */
  fault(error: unknown): void;
  readonly pace?: Pace;
};

/**
 * Every request takes the same way: guard, route, role, input, handler. A route that is not in the table does not exist, so no route
 * can skip a step.
 */
export function httpServer(
  options: ServerOptions,
  tls: { readonly cert: Buffer; readonly key: Buffer } | null = null,
): Server {
  const find = router(options.routes);
  const pace = options.pace ?? paceOf(options.now);
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    connections.busy(request, response);
    void answer(options, { find, pace, connections }, request, response).catch((error: unknown) => {
      const failure = environmentProblem(error);
      if (failure === null) options.fault(error);
      if (response.headersSent) response.destroy();
      else sendProblem(response, failure ?? fault);
    });
  };
  const server =
    tls === null ? createServer(bounds, respond) : createTlsServer({ ...bounds, ...tlsBounds, ...tls }, respond);
  const connections = watchConnections(server, { secure: tls !== null });
  server.on('upgrade', (request, socket, head) => upgrade(options, { pace, connections }, request, socket, head));
  return server;
}

const fault = problem(500, 'fault', 'the server failed; its log has the details');

/** Returns a problem for a failure of the environment, which the caller may read in full. Null for a bug of ours. */
function environmentProblem(error: unknown): Problem | null {
  if (error instanceof NotOpened) return problem(503, 'not-opened', error.message);
  if (error instanceof LedgerDamaged) return problem(503, 'ledger-damaged', error.message, { next: error.fix });
  if (error instanceof LedgerUnavailable)
    return problem(503, 'ledger-unavailable', error.message, {
      next: 'try again; with an Idempotency-Key nothing is done twice',
    });
  return null;
}

type Entrance = { readonly pace: Pace; readonly connections: Connections };
type Routing = Entrance & { readonly find: (method: string, path: string) => RouteMatch<string> };

async function answer(
  options: ServerOptions,
  { find, pace, connections }: Routing,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', headers, rawHeaders } = request;
  const refuse = (why: Problem): void => {
    if (request.complete) sendProblem(response, why);
    else sendLastProblem(request, response, why);
  };
  /** Shows a person at a browser the command to type. */
  const turnAway = (why: Problem): void => {
    const isReader = method === 'GET' && headers.accept?.includes('text/html') === true;
    if (why.status === 401 && isReader) sendRefusalPage(response, why.status, strangerPage);
    else refuse(why);
  };
  const code = /^\/enter\/([\w-]{43})$/.exec(request.url ?? '')?.[1];
  if (method === 'GET' && code !== undefined) {
    const misdirection = misdirected(options.access, request);
    const entry = misdirection === null ? options.links.take(code) : null;
    if (entry !== null) return sendEntry(options.access, entry, response);
    return turnAway(pace(false) ?? misdirection ?? usedLink);
  }
  const [path = '', search = ''] = splitOnce(request.url ?? '', '?');
  const page = options.pages.get(path);
  const now = options.now();
  const isPage = page !== undefined;
  const access = admit(options.access, { method, headers, rawHeaders, upgrade: false, page: isPage, now });
  const tooOften = pace(access.ok);
  if (tooOften !== null) return refuse(tooOften);
  if (!access.ok) return path === '/' ? turnAway(access.problem) : refuse(access.problem);
  connections.admitted(request.socket);
  if (page !== undefined && (method === 'GET' || method === 'HEAD')) return sendPage(response, page);
  const match = find(method, path);
  if (match.kind === 'nothing')
    return refuse(problem(404, 'no-route', 'there is nothing at this path; see /openapi.json'));
  if (match.kind === 'other-method') {
    response.setHeader('allow', match.allowed.join(', '));
    return refuse(problem(405, 'wrong-method', `this path takes ${match.allowed.join(' or ')}`));
  }
  const { id, params } = match;
  const [route, handler] = [options.routes[id], options.handlers[id]];
  if (route === undefined || handler === undefined) throw new Error(`the route ${id} is not served`);
  if (!mayDo(access.role, route.role))
    return refuse(
      problem(403, 'wrong-role', `this needs the role ${route.role}, and the token has ${access.role}`, {
        next: `tidegate token --role ${route.role}`,
      }),
    );
  const key = headers['idempotency-key'] ?? null;
  if (key !== null && (typeof key !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(key)))
    return refuse(problem(400, 'bad-key', 'an Idempotency-Key has 1 to 200 printable characters'));
  const body = route.body === null ? null : await readJson(request);
  if (body?.ok === false) return refuse(body.error);
  const input = validate(route, { params, query: queryOf(route, search, headers), body: body?.value });
  if (!input.ok) return refuse(input.error);
  const result = await handler(input.value as never, options.site(access.role, key));
  if (!result.ok) return refuse(result.error);
  if ('schema' in route.answer) sendJson(response, route.answer.status, result.value);
  else if ('protocol' in route.answer)
    await sendProtocol(request, response, result.value as ProtocolHandler, input.value.body);
  else if ('events' in route.answer) {
    using _end = cutAt(request.socket, access.until, now);
    await sendEvents(request, response, result.value as EventStream);
  } else await sendContent(request, response, route.answer.content, result.value as Content);
}

/** Hangs up when the access ends: a stream must not outlast it. */
function cutAt(socket: Duplex, until: number | null, now: number): Disposable {
  const timer = until === null ? undefined : setTimeout(() => socket.destroy(), until - now);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/** A WebSocket passes the same guard. */
function upgrade(
  options: ServerOptions,
  { pace, connections }: Entrance,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) {
  socket.on('error', () => socket.destroy());
  const { method = '', headers, rawHeaders } = request;
  const now = options.now();
  const access = admit(options.access, { method, headers, rawHeaders, upgrade: true, page: false, now });
  const tooOften = pace(access.ok);
  if (tooOften !== null) return refuseUpgrade(socket, tooOften);
  if (!access.ok) return refuseUpgrade(socket, access.problem);
  connections.admitted(socket);
  const end = cutAt(socket, access.until, now);
  socket.once('close', () => end[Symbol.dispose]());
  options.sockets.accept(request, socket, head);
}

/** The only way in without a token: the code of a link replaces it, once. */
function sendEntry({ origins }: AccessRules, { cookie, seconds, pageKey }: LinkEntry, response: ServerResponse): void {
  const secure = origins.every((origin) => origin.startsWith('https:')) ? '; Secure' : '';
  response.writeHead(303, {
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'set-cookie': `${cookieName}=${cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure}`,
    location: `/#key=${pageKey}`,
    'content-length': 0,
  });
  response.end();
}

const usedLink = problem(401, 'link-used', 'this link was used before or has expired', {
  next: 'tidegate token --link prints another',
});

function splitOnce(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** Slow or endless requests are ended, however many there are. */
const bounds = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 10_000,
  maxHeaderSize: 16 << 10,
};
/** The same before the first byte of HTTP. */
const tlsBounds = { handshakeTimeout: 10_000 };

const mostStrangers = 512;
const mostConnections = 4_096;

type Connections = {
  /** A request on this connection is being answered. */
  busy(request: IncomingMessage, response: ServerResponse): void;
  /** The connection has shown a token. */
  admitted(socket: Duplex): void;
};

/**
 * Keeps places for callers that have a token. Of connections that have shown none, the oldest is closed when there are too many. A
 * connection that sent something other than HTTP is closed on both sides. So nobody is kept out by callers that are silent or never
 * hang up.
 */
function watchConnections(server: Server, { secure }: { readonly secure: boolean }): Connections {
  const strangers = new Set<Duplex>();
  const answering = new WeakSet<Duplex>();
  server.maxConnections = mostConnections;
  server.on(secure ? 'secureConnection' : 'connection', (socket: Socket) => {
    strangers.add(socket);
    socket.once('close', () => strangers.delete(socket));
    const [oldest] = strangers;
    if (strangers.size > mostStrangers) oldest?.destroy();
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // a second answer in the middle of another would be read as part of it
    if (socket.writable && !answering.has(socket))
      socket.write(`HTTP/1.1 ${statusOf(error)}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    socket.destroy();
  });
  return {
    busy: ({ socket }, response) => {
      answering.add(socket);
      response.once('close', () => answering.delete(socket));
    },
    admitted: (socket) => void strangers.delete(socket),
  };
}

function statusOf({ code }: NodeJS.ErrnoException): string {
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return '408 Request Timeout';
  return '400 Bad Request';
}
