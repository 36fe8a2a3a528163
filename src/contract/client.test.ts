import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { problem } from '../protocol/problem.ts';
import type { Route } from '../protocol/route.ts';
import { TidegateProblem, tidegateClient } from './client.ts';
import { routes } from './routes.ts';

type Heard = { readonly line: string; readonly headers: IncomingMessage['headers']; readonly body: string };

/** A server that answers all alike and keeps what it heard. */
async function listening(answer: (response: ServerResponse) => void) {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.setEncoding('utf8').toArray()).join('');
    heard.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    heard,
    client: tidegateClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, token: 'tg-read-x' }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
const answering = (value: unknown, status = 200, type = 'application/json') =>
  listening((response) => response.writeHead(status, { 'content-type': type }).end(JSON.stringify(value)));

test('client and server know the same routes', () => {
  expect(Object.keys(tidegateClient({ url: 'http://127.0.0.1' })).sort()).toEqual(Object.keys(routes).sort());
});

test('no route has a parameter of the same name in path and query: the client takes both in one object', () => {
  const twice = Object.values<Route>(routes).flatMap(({ params, query }) =>
    Object.keys(params.shape).filter((key) => key in query.shape),
  );
  expect(twice).toEqual([]);
});

test('what is in the path, what is in the query, and the token', async () => {
  await using server = await answering({ items: [], next: null });
  expect(await server.client.runs({ repository: 'shop-1', limit: 5, cursor: 'a/b c' })).toEqual({
    items: [],
    next: null,
  });
  expect(server.heard[0]?.line).toBe('GET /v1/repositories/shop-1/runs?limit=5&cursor=a%2Fb+c');
  expect(server.heard[0]?.headers).toMatchObject({ authorization: 'Bearer tg-read-x' });
  expect(server.heard[0]?.headers).not.toHaveProperty('idempotency-key');
});

test('an id cannot become another path', async () => {
  await using server = await answering({});
  await server.client.repository({ repository: '../x' });
  expect(server.heard[0]?.line).toBe('GET /v1/repositories/..%2Fx');
  await expect(async () => server.client.repository({ repository: '..' })).rejects.toBeInstanceOf(TypeError);
  expect(server.heard).toHaveLength(1);
});

test('a refusal is thrown with its document', async () => {
  const told = problem(404, 'unknown-repository', 'there is no repository x here', { next: 'look' });
  await using server = await answering(told, 404, 'application/problem+json');
  const thrown = await server.client.repository({ repository: 'x' }).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(TidegateProblem);
  expect(thrown).toMatchObject({ problem: told, message: 'there is no repository x here (look)' });
});

test('whatever else answers is told apart from Tidegate', async () => {
  await using server = await listening((response) => response.writeHead(502).end('<html>'));
  await expect(server.client.repositories()).rejects.toMatchObject({
    problem: { type: 'tidegate:not-tidegate', status: 502 },
  });
});

test('a redirect is not followed: the token is for this server', async () => {
  await using server = await listening((response) =>
    response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  );
  await expect(server.client.repositories()).rejects.toBeInstanceOf(TypeError);
});

test('text comes as a stream, or a range of it', async () => {
  await using server = await listening((response) => {
    response.write(Buffer.from('ä').subarray(0, 1));
    response.end(Buffer.concat([Buffer.from('ä').subarray(1), Buffer.from('bc')]));
  });
  const place = { repository: 'r', run: 'r-1', task: 't', attempt: 1 };
  const text = await server.client.log(place, { range: { last: 10 } });
  expect(await text.whole()).toBe('äbc');
  await (await server.client.log(place, { range: { from: 2, to: 5 } })).whole();
  expect(server.heard.map(({ headers }) => headers.range)).toEqual(['bytes=-10', 'bytes=2-4']);
});
