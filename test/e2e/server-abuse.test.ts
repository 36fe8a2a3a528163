import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { does, json } from '../../src/protocol/route.ts';
import { bodyLimit } from '../../src/server/http/router.ts';
import { type RecordingServer, recordingServer } from '../support/recording-server.ts';
import { textOf } from '../support/server.ts';

/** A route that takes anything: what is refused is refused by the server, not by a schema. */
const anything = {
  anything: does(
    { path: '/v1/anything', group: 'Test', summary: 'Takes anything', role: 'operate' },
    z.unknown(),
    json(z.unknown()),
  ),
};

async function openToAnything() {
  const bodies: unknown[] = [];
  const handlers = {
    anything: async ({ body }: { readonly body: unknown }) => {
      bodies.push(body);
      return { ok: true as const, value: { took: JSON.stringify(body).length } };
    },
  };
  const server = await recordingServer({ routes: anything, handlers: handlers as never });
  const head = (...more: string[]): string =>
    [
      'POST /v1/anything HTTP/1.1',
      `Host: ${server.host}`,
      `Authorization: Bearer ${server.tokens.operate}`,
      'Content-Type: application/json',
      ...more,
      '\r\n',
    ].join('\r\n');
  const post = (body: string | Buffer) => {
    const bytes = Buffer.from(body);
    return server.raw(
      Buffer.concat([Buffer.from(head(`Content-Length: ${bytes.length}`, 'Connection: close')), bytes]),
    );
  };
  return { ...server, bodies, head, post };
}

/** Alive, and as quick as can be asked for where a first packet may be lost and sent again. */
async function isWell(server: Pick<RecordingServer, 'ask' | 'tokens' | 'faults'>): Promise<void> {
  const began = performance.now();
  const { status } = await server.ask('GET', '/v1/nothing', { token: server.tokens.read });
  expect(status).toBe(404);
  expect(performance.now() - began).toBeLessThan(3_000);
  expect(server.faults).toEqual([]);
}

const statusOf = (answer: string): string => answer.slice(9, 12);

test('10 MB are refused before they are read, announced or not, and the answer says so', async () => {
  await using server = await openToAnything();
  const announced = await server.raw(server.head(`Content-Length: ${10 << 20}`));
  expect(statusOf(announced)).toBe('413');
  const chunk = `${(64 << 10).toString(16)}\r\n${'x'.repeat(64 << 10)}\r\n`;
  const socket = await server.connect();
  const said = textOf(socket);
  socket.write(server.head('Transfer-Encoding: chunked'));
  for (let sent = 0; sent < 10 << 20 && !socket.destroyed; sent += 64 << 10)
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), said]);
  expect(await said).toMatch(/^HTTP\/1\.1 413 [\s\S]*tidegate:too-large/);
  expect(server.bodies).toEqual([]);
  await isWell(server);
});

test('a body up to the limit is taken', async () => {
  await using server = await openToAnything();
  expect(statusOf(await server.post(JSON.stringify('x'.repeat(bodyLimit - 2))))).toBe('200');
  expect(statusOf(await server.post(JSON.stringify('x'.repeat(bodyLimit - 1))))).toBe('413');
  expect(server.bodies.length).toBe(1);
});

test.each([
  ['a lone continuation byte', Buffer.from([0x22, 0x80, 0x22]), '400'],
  ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), '400'],
  ['half of a surrogate pair', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), '400'],
  ['a character that is cut off', Buffer.from([0x22, 0xe2, 0x82]), '400'],
  ['UTF-16', Buffer.from('{"a":1}', 'utf16le'), '400'],
  ['a NUL', Buffer.from('{"a":1}\0'), '400'],
  ['no JSON', Buffer.from('a=1&b=2'), '400'],
  ['two documents', Buffer.from('{}{}'), '400'],
  ['NaN', Buffer.from('NaN'), '400'],
  ['100,000 levels of lists', Buffer.from('['.repeat(100_000) + ']'.repeat(100_000)), '400'],
  ['100,000 levels of objects', Buffer.from(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`), '400'],
  ['100,000 brackets that are text', Buffer.from(JSON.stringify('["\\'.repeat(100_000))), '200'],
  ['500,000 lists side by side', Buffer.from(`[${'[],'.repeat(300_000)}[]]`), '200'],
])('%s in a body is answered as it should be', async (_name, body, status) => {
  await using server = await openToAnything();
  expect(statusOf(await server.post(body))).toBe(status);
  await isWell(server);
});

test('keys of objects change no other object', async () => {
  await using server = await openToAnything();
  const spoilt = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1}';
  expect(statusOf(await server.post(spoilt))).toBe('200');
  await server.ask('GET', '/v1/repositories?__proto__=1&constructor=1', { token: server.tokens.read });
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  await isWell(server);
});

test('only JSON is read', async () => {
  await using server = await openToAnything();
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''];
  for (const type of [...types, 'application/json; charset=utf-7', 'text/json', 'application/json, text/plain']) {
    const { status } = await server.ask('POST', '/v1/anything', {
      token: server.tokens.operate,
      headers: { 'content-type': type, 'content-length': 2 },
      body: {},
    });
    expect(`${type} ${status}`).toBe(`${type} 415`);
  }
  expect(server.bodies).toEqual([]);
});

test('a query with the same key twice, and one with thousands, is refused at once', async () => {
  await using server = await recordingServer();
  const ask = (query: string) => server.ask('GET', `/v1/repositories?${query}`, { token: server.tokens.read });
  expect((await ask('limit=1&limit=2')).json).toMatchObject({ status: 400, field: 'query.limit' });
  expect((await ask('limit=1&%6cimit=2')).status).toBe(400);
  const many = Array.from({ length: 2_700 }, (_, at) => at.toString(36)).join('&');
  expect((await ask(many)).status).toBe(400);
  expect(server.called).toEqual([]);
  await isWell(server);
});

test('headers beyond 16 KB are refused as such', async () => {
  await using server = await recordingServer();
  const long = await server.raw(`GET / HTTP/1.1\r\nHost: ${server.host}\r\nX: ${'x'.repeat(17 << 10)}\r\n\r\n`);
  expect(statusOf(long)).toBe('431');
  const many = await server.raw(`GET / HTTP/1.1\r\nHost: ${server.host}\r\n${'A: b\r\n'.repeat(4_000)}\r\n`);
  expect(statusOf(many)).toBe('431');
  await isWell(server);
});

test('garbage behind a good request ends the connection and reaches nothing', async () => {
  await using server = await recordingServer();
  const good = `GET /v1/repositories HTTP/1.1\r\nHost: ${server.host}\r\nAuthorization: Bearer ${server.tokens.read}\r\n\r\n`;
  const garbage = ['\0\0\0\0', 'GARBAGE\r\n\r\n', 'GET / HTTP/1.1\r\nHost\r\n\r\n', `${'x'.repeat(70_000)}\r\n\r\n`];
  for (const one of garbage) {
    // what comes back is never taken for the answer to the good one
    expect(await server.raw(good + one)).toBe('');
  }
  const apart = await server.connect();
  const said = textOf(apart);
  apart.write(good);
  await once(apart, 'data');
  apart.write('GARBAGE\r\n\r\n');
  expect((await said).match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 409', 'HTTP/1.1 400']);
  const smuggled = [
    'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
    'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
    'Content-Length: -1\r\n\r\n',
    'Content-Length: 1e3\r\n\r\n',
  ];
  for (const one of smuggled) expect(statusOf(await server.raw(good.slice(0, -2) + one))).toBe('400');
  await isWell(server);
});

test('one who sends slowly is cut off, in the head and in the body', async () => {
  await using server = await openToAnything();
  Object.assign(server.server, { headersTimeout: 200, requestTimeout: 400 });
  const openings = ['', 'GET', `GET / HTTP/1.1\r\nHost: ${server.host}\r\nX: `, server.head('Content-Length: 100')];
  const cut = openings.map(async (opening) => {
    const socket = await server.connect();
    const said = textOf(socket);
    socket.write(opening);
    const drip = setInterval(() => socket.write('a'), 50);
    const answer = await said;
    clearInterval(drip);
    return answer;
  });
  for (const answer of await Promise.all(cut)) expect(['', '400', '408']).toContain(statusOf(answer));
  expect(server.bodies).toEqual([]);
  await isWell(server);
});

test('one who goes away in the middle of a body is no fault of ours', async () => {
  await using server = await openToAnything();
  const socket = await server.connect();
  const gone = once(server.server, 'connection').then(([mine]) => once(mine as Socket, 'close'));
  const second = await server.connect();
  for (const one of [socket, second]) {
    one.write(server.head('Content-Length: 100'));
    one.write('{"a":');
  }
  await once(server.server, 'request');
  socket.resetAndDestroy();
  second.destroy();
  await gone;
  await isWell(server);
});

test('one who never hangs up after being refused holds no place', async () => {
  await using server = await recordingServer();
  const places: Promise<unknown>[] = [];
  server.server.on('connection', (socket: Socket) => places.push(once(socket, 'close')));
  const unwanted = [
    'GARBAGE\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: ${server.host}\r\nX: ${'x'.repeat(20_000)}`,
    `GET / HTTP/1.1\r\nHost: ${server.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  ];
  const sockets = Array.from({ length: 21 }, (_, at) => {
    const socket = connect({ host: '127.0.0.1', port: server.port, allowHalfOpen: true });
    socket.on('error', () => undefined).resume();
    socket.write(unwanted[at % unwanted.length] ?? '');
    return once(socket, 'end').then(() => socket);
  });
  const open = await Promise.all(sockets);
  expect(places.length).toBe(21);
  await Promise.all(places);
  for (const socket of open) socket.destroy();
  await isWell(server);
});

test('2,000 connections that say nothing keep nobody out, and lose their places', async () => {
  await using server = await recordingServer();
  const idle = await Promise.all(
    Array.from({ length: 2_000 }, async () => {
      const socket = await server.connect();
      socket.on('error', () => undefined).resume();
      return socket;
    }),
  );
  await isWell(server);
  const held = await new Promise<number>((resolve) => server.server.getConnections((_, count) => resolve(count)));
  expect(held).toBeLessThanOrEqual(1_024);
  for (const socket of idle) socket.destroy();
  await isWell(server);
});
