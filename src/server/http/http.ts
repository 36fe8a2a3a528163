import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Result } from '../../domain/base/result.ts';
import { LedgerDamaged, LedgerUnavailable } from '../../ports/ledger.ts';
import type { Content } from '../../ports/repository-handle.ts';
import { cookieName } from '../../protocol/credentials.ts';
import { type Problem, problem } from '../../protocol/problem.ts';
import type { AccessRole, Passage, Route } from '../../protocol/route.ts';
import { type EventStream, sendEvents } from '../feed/event-stream.ts';
import type { Sockets } from '../feed/sockets.ts';
import { NotOpened, type Passing, type Site } from '../site.ts';
import { readJson } from './body.ts';
import { bounds, type Connections, tlsBounds, watchConnections } from './connections.ts';
import { type Pages, strangerPage } from './front-page.ts';
import { admit, type Doors, misdirected } from './guard.ts';
import { mayDo } from './keys.ts';
import type { LinkEntry, Links } from './links.ts';
import { type Pace, paceOf } from './pace.ts';
import {
  refuseUpgrade,
  sendContent,
  sendJson,
  sendLastProblem,
  sendPage,
  sendPassed,
  sendProblem,
  sendRefusalPage,
} from './reply.ts';
import { type RouteMatch, router } from './router.ts';
import { queryOf, validated } from './validated.ts';

export type Served = {
  readonly routes: Readonly<Record<string, Route | Passage>>;
  /** Of each route the one that its schemas are for: `Handlers` and `PassageHandlers` hold them to it. */
  readonly handlers: Readonly<Record<string, (given: never, site: Site) => Promise<Result<unknown, Problem>>>>;
  readonly doors: Doors;
  readonly links: Links;
  readonly pages: Pages;
  readonly sockets: Pick<Sockets, 'accept'>;
  /** Of one request. */
  site(role: AccessRole, key: string | null): Site;
  now(): number;
  /** Where faults of our own are told; callers only hear that there was one. */
  fault(error: unknown): void;
  readonly pace?: Pace;
};

/**
 * The server: who may come in, which route, with which role, is what was sent right, then its handler. A route that is not in
 * the table is not there, and each of the table passes the same way: none can be forgotten.
 */
export function httpServer(served: Served, tls: { readonly cert: Buffer; readonly key: Buffer } | null = null): Server {
  const find = router(served.routes);
  const pace = served.pace ?? paceOf(served.now);
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    connections.busy(request, response);
    void answer(served, { find, pace, connections }, request, response).catch((error: unknown) => {
      const known = knownTrouble(error);
      if (known === null) served.fault(error);
      if (response.headersSent) response.destroy();
      else sendProblem(response, known ?? fault);
    });
  };
  const server =
    tls === null ? createServer(bounds, respond) : createTlsServer({ ...bounds, ...tlsBounds, ...tls }, respond);
  const connections = watchConnections(server, { secure: tls !== null });
  server.on('upgrade', (request, socket, head) => upgrade(served, { find, pace, connections }, request, socket, head));
  return server;
}

const fault = problem(500, 'fault', 'something went wrong here; the log of the server says what');

/** What is wrong with the world rather than with us: the caller hears it in full. */
function knownTrouble(error: unknown): Problem | null {
  if (error instanceof NotOpened) return problem(503, 'not-opened', error.message);
  if (error instanceof LedgerDamaged) return problem(503, 'ledger-damaged', error.message, { next: error.fix });
  if (error instanceof LedgerUnavailable)
    return problem(503, 'ledger-unavailable', error.message, { next: 'ask again; with a key nothing is done twice' });
  return null;
}

type Way = {
  readonly find: (method: string, path: string) => RouteMatch<string>;
  readonly pace: Pace;
  readonly connections: Connections;
};

async function answer(
  served: Served,
  { find, pace, connections }: Way,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', headers, rawHeaders } = request;
  const refuse = (why: Problem): void => {
    if (request.complete) sendProblem(response, why);
    else sendLastProblem(request, response, why);
  };
  /** A person at a browser reads what to type. */
  const turnAway = (why: Problem): void => {
    const reads = method === 'GET' && headers.accept?.includes('text/html') === true;
    if (why.status === 401 && reads) sendRefusalPage(response, why.status, strangerPage);
    else refuse(why);
  };
  const code = /^\/enter\/([\w-]{43})$/.exec(request.url ?? '')?.[1];
  if (method === 'GET' && code !== undefined) {
    const entered = enter(served, code, request);
    if (entered.ok) return sendEntered(served, entered, response);
    return turnAway(pace(false) ?? entered.problem);
  }
  const [path = '', search = ''] = splitOnce(request.url ?? '', '?');
  const page = served.pages.get(path);
  const now = served.now();
  const isPage = page !== undefined;
  const admitted = admit(served.doors, { method, headers, rawHeaders, upgrade: false, page: isPage, now });
  const slowed = pace(admitted.ok);
  if (slowed !== null) return refuse(slowed);
  if (!admitted.ok) return path === '/' ? turnAway(admitted.problem) : refuse(admitted.problem);
  connections.known(request.socket);
  if (page !== undefined && (method === 'GET' || method === 'HEAD')) return sendPage(response, page);
  const match = find(method, path);
  if (match.found === 'nothing')
    return refuse(problem(404, 'no-route', 'there is nothing at this path; see /openapi.json'));
  if (match.found === 'other-method') {
    response.setHeader('allow', match.allowed.join(', '));
    return refuse(problem(405, 'wrong-method', `this path takes ${match.allowed.join(' or ')}`));
  }
  const { id, params } = match.match;
  const [route, handler] = [served.routes[id], served.handlers[id]];
  if (route === undefined || handler === undefined) throw new Error(`the route ${id} is not served`);
  if (!mayDo(admitted.role, route.role))
    return refuse(
      problem(403, 'wrong-role', `this takes the role ${route.role}, and the token has ${admitted.role}`, {
        next: `tidegate token --role ${route.role}`,
      }),
    );
  const key = headers['idempotency-key'] ?? null;
  if (key !== null && (typeof key !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(key)))
    return refuse(problem(400, 'bad-key', 'an Idempotency-Key has 1 to 200 printable characters'));
  const sent = route.body === null ? null : await readJson(request);
  if (sent?.ok === false) return refuse(sent.error);
  const given = validated(route, { params, query: queryOf(route, search, headers), body: sent?.value });
  if (!given.ok) return refuse(given.error);
  const answered = await handler(given.value as never, served.site(admitted.role, key));
  if (!answered.ok) return refuse(answered.error);
  if ('schema' in route.answer) sendJson(response, route.answer.status, answered.value);
  else if ('protocol' in route.answer) await sendPassed(request, response, answered.value as Passing, given.value.body);
  else if ('events' in route.answer) {
    using _end = cutAt(request.socket, admitted.until, now);
    await sendEvents(request, response, answered.value as EventStream);
  } else await sendContent(request, response, route.answer.content, answered.value as Content);
}

type Entered = { readonly ok: true } & LinkEntry;

/** Hangs up when what let somebody in is over: a stream must not outlast it. */
function cutAt(socket: Duplex, until: number | null, now: number): Disposable {
  const timer = until === null ? undefined : setTimeout(() => socket.destroy(), until - now);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/** A WebSocket comes through the same guard. */
function upgrade(served: Served, { pace, connections }: Way, request: IncomingMessage, socket: Duplex, head: Buffer) {
  socket.on('error', () => socket.destroy());
  const { method = '', headers, rawHeaders } = request;
  const now = served.now();
  const admitted = admit(served.doors, { method, headers, rawHeaders, upgrade: true, page: false, now });
  const slowed = pace(admitted.ok);
  if (slowed !== null) return refuseUpgrade(socket, slowed);
  if (!admitted.ok) return refuseUpgrade(socket, admitted.problem);
  connections.known(socket);
  const end = cutAt(socket, admitted.until, now);
  socket.once('close', () => end[Symbol.dispose]());
  served.sockets.accept(request, socket, head);
}

/** The one way in without a token: the code of a link stands for it, once. */
function enter(
  { doors, links }: Served,
  code: string,
  request: IncomingMessage,
): Entered | { ok: false; problem: Problem } {
  const strange = misdirected(doors, request);
  if (strange !== null) return { ok: false, problem: strange };
  const taken = links.take(code);
  return taken === null ? { ok: false, problem: usedLink } : { ok: true, ...taken };
}

function sendEntered({ doors }: Served, { cookie, seconds, pageKey }: Entered, response: ServerResponse): void {
  const secure = doors.origins.every((origin) => origin.startsWith('https:')) ? '; Secure' : '';
  response.writeHead(303, {
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'set-cookie': `${cookieName}=${cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure}`,
    location: `/#key=${pageKey}`,
    'content-length': 0,
  });
  response.end();
}

const usedLink = problem(401, 'link-used', 'this link was used or is too old', {
  next: 'tidegate token --link makes another',
});

function splitOnce(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
