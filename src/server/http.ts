import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { z } from 'zod';
import type { Content } from '../ports/desk.ts';
import { type Problem, problem } from '../protocol/problem.ts';
import type { Role, Route } from '../protocol/route.ts';
import { readJson } from './body.ts';
import { admit, cookieName, type Doors } from './guard.ts';
import { mayDo } from './keys.ts';
import type { Links } from './links.ts';
import { type Pace, paceOf } from './pace.ts';
import { sendContent, sendJson, sendProblem } from './reply.ts';
import { type Match, router } from './router.ts';
import type { Handlers, Site } from './site.ts';

export type Served = {
  readonly routes: Readonly<Record<string, Route>>;
  readonly handlers: Handlers<Readonly<Record<string, Route>>>;
  readonly doors: Doors;
  readonly links: Links;
  /** Of one request. */
  site(role: Role, key: string | null): Site;
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
    void answer(served, find, pace, request, response).catch((error: unknown) => {
      served.fault(error);
      if (response.headersSent) response.destroy();
      else sendProblem(response, problem(500, 'fault', 'something went wrong here; the log of the server says what'));
    });
  };
  const server = tls === null ? createServer(bounds, respond) : createTlsServer({ ...bounds, ...tls }, respond);
  server.maxConnections = 1_024;
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  });
  return server;
}

/** Slow or endless requests are ended, however many there are. */
const bounds = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 10_000,
  maxHeaderSize: 16 << 10,
};

async function answer(
  served: Served,
  find: (method: string, path: string) => Match<string>,
  pace: Pace,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', headers, rawHeaders } = request;
  const refuse = (why: Problem): void => {
    // what was not read is not waited for
    if (!request.complete) response.setHeader('connection', 'close');
    sendProblem(response, why);
  };
  const code = /^\/enter\/([\w-]{43})$/.exec(request.url ?? '')?.[1];
  if (method === 'GET' && code !== undefined) return enter(served, code, request, response);
  const admitted = admit(served.doors, { method, headers, rawHeaders, upgrade: false, now: served.now() });
  const slowed = pace(admitted.ok);
  if (slowed !== null) return refuse(slowed);
  if (!admitted.ok) return refuse(admitted.problem);
  const [path = '', search = ''] = splitOnce(request.url ?? '', '?');
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
  const given = validated(route, params, search, sent?.value);
  if ('type' in given) return refuse(given);
  const answered = await handler(given as never, served.site(admitted.role, key));
  if (!answered.ok) return refuse(answered.error);
  if ('schema' in route.answer) sendJson(response, route.answer.status, answered.value);
  else await sendContent(request, response, route.answer.content, answered.value as Content);
}

/** The one way in without a token: the code of a link stands for it, once. */
function enter(served: Served, code: string, request: IncomingMessage, response: ServerResponse): void {
  const isOurs = served.doors.hosts.includes(request.headers.host ?? '');
  const taken = isOurs ? served.links.take(code) : null;
  if (taken === null) {
    sendProblem(response, isOurs ? usedLink : problem(421, 'wrong-host', 'the Host header names another server'));
    return;
  }
  const secure = served.doors.origins.every((origin) => origin.startsWith('https:')) ? '; Secure' : '';
  response.writeHead(303, {
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'set-cookie': `${cookieName}=${taken.cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${taken.seconds}${secure}`,
    location: '/v1/repositories',
    'content-length': 0,
  });
  response.end();
}

const usedLink = problem(401, 'link-used', 'this link was used or is too old', {
  next: 'tidegate token --link makes another',
});

type Validated = { readonly params: unknown; readonly query: unknown; readonly body: unknown };

function validated(
  route: Route,
  params: Readonly<Record<string, string>>,
  search: string,
  body: unknown,
): Validated | Problem {
  const pairs = [...new URLSearchParams(search)];
  const twice = pairs.find(([name], at) => pairs.findIndex(([other]) => other === name) !== at);
  if (twice !== undefined)
    return problem(400, 'bad-query', `${twice[0]} stands there twice`, { field: `query.${twice[0]}` });
  const named = route.params.safeParse(params);
  // an id that cannot be one names nothing
  if (!named.success) return mistake(404, 'params', named.error);
  const query = route.query.safeParse(Object.fromEntries(pairs));
  if (!query.success) return mistake(400, 'query', query.error);
  const content = route.body === null ? null : route.body.safeParse(body === undefined ? {} : body);
  if (content?.success === false) return mistake(422, 'body', content.error);
  return { params: named.data, query: query.data, body: content?.data ?? null };
}

function mistake(status: 400 | 404 | 422, part: string, error: z.ZodError): Problem {
  const [issue] = error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const path = [...(issue?.path ?? []), ...unknown];
  const field = path.reduce<string>(
    (text, step) => text + (typeof step === 'number' ? `[${step}]` : `.${String(step)}`),
    part,
  );
  return problem(status, status === 404 ? 'bad-id' : 'invalid', `${field}: ${issue?.message ?? 'is not right'}`, {
    field,
    next: 'see /openapi.json',
  });
}

function splitOnce(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
