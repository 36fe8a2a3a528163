import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holdToContract } from '../../../test/support/contract.ts';
import { routes } from '../../contract/routes.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { type Problem, problem } from '../../protocol/problem.ts';
import { accessRoles, type Route, refusalStatuses } from '../../protocol/route.ts';
import type { Site } from '../site.ts';
import { frontPage } from './front-page.ts';
import { oneTimeLinks, tokenOf } from './keys.ts';
import { httpServer } from './server.ts';

const table: Readonly<Record<string, Route>> = routes;
const secret = Buffer.alloc(32, 1);
const access = { hosts: [] as string[], origins: [] as string[], secret };
const links = oneTimeLinks(() => secret, Date.now);

/** What handlers do next. Which of them it is does not matter: the frame around them is the same. */
let next: () => Promise<Result<unknown, Problem>>;
const faults: unknown[] = [];
let isSlowed = false;
const server = httpServer({
  routes: table,
  handlers: Object.fromEntries(Object.keys(table).map((name) => [name, () => next() as never])),
  access,
  links,
  pages: frontPage,
  sockets: { accept: () => undefined },
  site: () => ({}) as Site,
  now: Date.now,
  fault: (error) => faults.push(error),
  pace: () => (isSlowed ? problem(429, 'too-often', 'wait') : null),
});
let origin = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  origin = `http://${host}`;
  access.hosts.push(host);
  access.origins.push(origin);
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const token = tokenOf(secret, 'approve');
type Sent = { readonly path?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

async function statusOf(route: Route, { path, headers = {}, body }: Sent): Promise<number> {
  const target = path ?? validPath(route);
  const { status, headers: got, ...response } = await fetchText(origin + target, route.method, headers, body);
  holdToContract({
    method: route.method,
    path: target,
    status,
    type: got.get('content-type') ?? undefined,
    text: response.text,
  });
  return status;
}

async function fetchText(url: string, method: string, headers: Readonly<Record<string, string>>, body?: string) {
  const given = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
  const response = await fetch(url, { method, headers: given, ...(body === undefined ? {} : { body }) });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** With parameters that their schemas take. */
const validPath = ({ path, params }: Route): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const guesses = ['x-1', '1', 'd1', '0199a0de-0000-7000-8000-000000000001', 'a'];
    return guesses.find((guess) => params.shape[name]?.safeParse(guess).success) ?? 'x';
  });

/** How each status comes about that the frame itself may refuse with. */
const provoked: Readonly<Record<number, (route: Route) => Promise<number>>> = {
  400: (route) =>
    statusOf(route, { path: `${validPath(route)}?no-such-key=1`, ...(changing(route) ? { body: '{}' } : {}) }),
  401: (route) => statusOf(route, { headers: { authorization: 'Bearer none' } }),
  403: (route) => statusOf(route, { headers: { origin: 'http://evil.example' } }),
  413: (route) => statusOf(route, { body: JSON.stringify('x'.repeat(1 << 20)) }),
  415: (route) => statusOf(route, { headers: { 'content-type': 'text/plain' }, body: '{}' }),
  416: async (route) => {
    next = async () => ok({ bytes: 3, read: async function* () {} });
    return await statusOf(route, { headers: { range: 'bytes=3-' } });
  },
  422: (route) => statusOf(route, { body: '{"no-such-key":1}' }),
  429: async (route) => {
    isSlowed = true;
    try {
      return await statusOf(route, {});
    } finally {
      isSlowed = false;
    }
  },
};
const changing = ({ body }: Route): boolean => body !== null;

describe('what the frame refuses with is in the document of a route, and what is in the document does occur', () => {
  test.each(Object.keys(table))('%s', async (name) => {
    const route = table[name] as Route;
    const possible = Object.entries(provoked).filter(
      ([status]) =>
        (route.method !== 'GET' || !bodily.includes(Number(status))) && (status !== '416' || 'content' in route.answer),
    );
    for (const [status, provoke] of possible) {
      next = async () => err(problem(500, 'fault', 'reached'));
      const occurs = (await provoke(route)) === Number(status);
      const isTold = (refusalStatuses(route) as readonly number[]).includes(Number(status));
      // what only the handler says is not said here
      if (!(isTold && bodily.includes(Number(status)) && route.body === null))
        expect([status, occurs]).toEqual([status, isTold]);
    }
  });
});
const bodily: readonly number[] = [413, 415, 422];

const wrongRole = Object.entries(table).flatMap(([name, route]) =>
  accessRoles
    .filter((role) => accessRoles.indexOf(role) < accessRoles.indexOf(route.role))
    .map((role) => [name, role] as const),
);
test.each(wrongRole)('%s refuses the role %s', async (name, role) => {
  next = async () => ok({});
  const route = table[name] as Route;
  expect(await statusOf(route, { headers: { authorization: `Bearer ${tokenOf(secret, role)}` } })).toBe(403);
});

describe('a handler', () => {
  const route = table['repositories'] as Route;

  test('that fails is a fault of ours: told to the log, not to the caller', async () => {
    const failure = new Error('at /secret/place');
    next = async () => {
      throw failure;
    };
    const { status, text } = await fetchText(origin + route.path, 'GET', {});
    expect([status, JSON.parse(text).type]).toEqual([500, 'tidegate:fault']);
    expect(text).not.toContain('secret');
    expect(faults.at(-1)).toBe(failure);
  });

  test('is asked the same by HEAD, and only the words are left out', async () => {
    next = async () => ok({ items: [], next: null });
    const shown = await fetchText(origin + route.path, 'GET', {});
    const asked = await fetchText(origin + route.path, 'HEAD', {});
    expect([asked.status, asked.text]).toEqual([200, '']);
    expect(asked.headers.get('content-length')).toBe(shown.headers.get('content-length'));
  });

  test.each(['two words', 'x'.repeat(201)])('is not reached with the key %j', async (key) => {
    const { status, text } = await fetchText(origin + route.path, 'GET', { 'idempotency-key': key });
    expect([status, JSON.parse(text).type]).toEqual([400, 'tidegate:bad-key']);
  });
});
