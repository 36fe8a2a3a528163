import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type AccessRole, accessRoles } from '../../src/protocol/route.ts';
import { frontPage } from '../../src/server/http/front-page.ts';
import { cookieOf, pageKeyOf, tokenOf } from '../../src/server/http/keys.ts';
import { everyRoute, pathOf, recordingServer } from '../support/recording-server.ts';
import { type Asked, projectWithRun, serverOf } from '../support/server.ts';

/** What those send who must not get in, whichever route they try. */
function strangers(secret: Buffer): Readonly<Record<string, Asked>> {
  const [other, later] = [randomBytes(32), Date.now() + 60_000];
  const right = tokenOf(secret, 'approve');
  const cookie = cookieOf(secret, 'approve', later);
  const headers = (name: string, value: string): Asked => ({ headers: { [name]: value } });
  return {
    'no token': {},
    'an empty token': headers('authorization', 'Bearer '),
    'a token of another key': { token: tokenOf(other, 'approve') },
    'a token that is short of its end': { token: right.slice(0, -1) },
    'a token with one more character': { token: `${right}A` },
    'a token in upper case': { token: right.toUpperCase() },
    'a token of one role with the signature of another': { token: tokenOf(secret, 'read').replace('read', 'approve') },
    'a token as Basic': headers('authorization', `Basic ${Buffer.from(`tidegate:${right}`).toString('base64')}`),
    'a token without Bearer': headers('authorization', right),
    'two tokens in one header': headers('authorization', `Bearer ${right}, Bearer ${right}`),
    'a token in another header': headers('x-api-key', right),
    'a token as a cookie': headers('cookie', `tidegate=${right}`),
    'a token as a WebSocket protocol, without an upgrade': headers('sec-websocket-protocol', `tidegate.token.${right}`),
    'the key itself': { token: secret.toString('base64url') },
    'an expired cookie': headers('cookie', `tidegate=${cookieOf(secret, 'approve', Date.now() - 1)}`),
    'a cookie whose expiry was moved': headers(
      'cookie',
      `tidegate=${cookie.replace(String(later), String(later + 1))}`,
    ),
    'a cookie whose role was raised': headers(
      'cookie',
      `tidegate=${cookieOf(secret, 'read', later).replace('read', 'approve')}`,
    ),
    'a cookie of another key': headers('cookie', `tidegate=${cookieOf(other, 'approve', later)}`),
    'a cookie without a signature': headers('cookie', `tidegate=approve.${later}.`),
    'two cookies of our name': headers('cookie', `tidegate=${cookie}; tidegate=${cookie}`),
    'a cookie without its page key': headers('cookie', `tidegate=${cookie}`),
    'a cookie with the page key of another': {
      headers: {
        cookie: `tidegate=${cookie}`,
        'tidegate-page': pageKeyOf(secret, cookieOf(secret, 'approve', later + 1)),
      },
    },
    'a page key without its cookie': headers('tidegate-page', pageKeyOf(secret, cookie)),
    'a cookie as a token': { token: cookie },
    'a right token beside a right cookie of which neither is whole': {
      headers: { authorization: `Bearer ${right.slice(1)}`, cookie: `tidegate=${cookie}` },
    },
  };
}

test.each(everyRoute)('%s lets no stranger in', async (_name, route) => {
  await using server = await recordingServer();
  const refusals: string[] = [];
  for (const [who, asked] of Object.entries(strangers(server.secret))) {
    const named = { body: {}, ...asked, headers: { origin: server.origin, ...asked.headers } };
    const { status, headers, json } = await server.ask(route.method, pathOf(route), named);
    refusals.push(`${who}: ${status} ${headers['content-type']} ${(json as { type: string }).type}`);
  }
  expect(refusals.filter((one) => !one.endsWith(': 401 application/problem+json tidegate:token-needed'))).toEqual([]);
  expect(server.called).toEqual([]);
});

test.each(everyRoute)('%s takes its role, and none below', async (_name, route) => {
  await using server = await recordingServer();
  const below = accessRoles.slice(0, accessRoles.indexOf(route.role));
  for (const role of below) {
    const path = pathOf(route);
    const byToken = await server.ask(route.method, path, { token: server.tokens[role], body: {} });
    const headers = { ...server.entered(role), origin: server.origin };
    const byCookie = await server.ask(route.method, path, { headers, body: {} });
    expect([byToken, byCookie].map(({ status, json }) => [status, (json as { type: string }).type])).toEqual([
      [403, 'tidegate:wrong-role'],
      [403, 'tidegate:wrong-role'],
    ]);
  }
  expect(server.called).toEqual([]);
  const enough = accessRoles.slice(accessRoles.indexOf(route.role));
  for (const role of enough) {
    const { status } = await server.ask(route.method, pathOf(route), { token: server.tokens[role], body: {} });
    expect([401, 403, 405, 421, 500]).not.toContain(status);
  }
});

test('what takes the role read keeps nothing', () => {
  const changing = everyRoute.filter(([, { method }]) => method !== 'GET');
  const reading = changing.filter(([, { role }]) => role === 'read').map(([name]) => name);
  expect(reading.toSorted()).toEqual(['craftPrompt', 'decompose', 'dryRun', 'lint', 'mcp']);
});

test('with a cookie, what changes something has to name our origin; what shows something need not', async () => {
  await using server = await recordingServer();
  const entered = server.entered('approve');
  for (const [, route] of everyRoute) {
    const bare = await server.ask(route.method, pathOf(route), { headers: entered, body: {} });
    expect(bare.status === 403).toBe(route.method !== 'GET');
    const named = await server.ask(route.method, pathOf(route), {
      headers: { ...entered, origin: server.origin },
      body: {},
    });
    expect([401, 403]).not.toContain(named.status);
  }
  const unsafe = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
  for (const method of unsafe) {
    const { status } = await server.ask(method, '/v1/repositories', { headers: entered });
    expect(`${method} ${status}`).toBe(`${method} 403`);
  }
});

test('a WebSocket lets no stranger in, and with a cookie only a page of ours', async () => {
  await using server = await recordingServer();
  const knock = (headers: Asked['headers'] = {}) => {
    const lines = Object.entries({ Host: server.host, ...headers }).map(([name, value]) => `${name}: ${String(value)}`);
    const asks = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${'A'.repeat(22)}==`,
    ];
    return server.raw(['GET /v1/ws HTTP/1.1', ...lines, ...asks, '', ''].join('\r\n'));
  };
  const strange = Object.entries(strangers(server.secret)).filter(([who]) => !who.includes('WebSocket'));
  for (const [who, { token, headers }] of strange) {
    const shown = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const said = await knock({ origin: server.origin, ...shown, ...headers });
    expect(`${who} ${said.slice(9, 12)}`).toBe(`${who} 401`);
  }
  expect((await knock(server.entered('approve'))).slice(9, 12)).toBe('403');
  expect((await knock({ ...server.entered('approve'), origin: 'http://evil.example' })).slice(9, 12)).toBe('403');
  expect(server.called).toEqual([]);
  await knock({ ...server.entered('read'), origin: server.origin });
  await knock({ 'sec-websocket-protocol': `tidegate, tidegate.token.${server.tokens.read}` });
  expect(server.called.map(({ route }) => route)).toEqual(['a WebSocket', 'a WebSocket']);
});

test.each([...frontPage.keys()])(
  'the page %s is for whoever was let in, by a cookie alone too, and runs only what is ours',
  async (path) => {
    await using server = await recordingServer();
    const { cookie } = server.entered('read');
    const seen = await server.ask('GET', path, { headers: { cookie, 'sec-fetch-site': 'none' } });
    expect([seen.status, seen.text]).toEqual([200, frontPage.get(path)?.body]);
    const rules = String(seen.headers['content-security-policy']).split('; ');
    expect(rules).toContain("default-src 'none'");
    expect(rules).toContain("frame-ancestors 'none'");
    expect(rules.filter((rule) => /unsafe|\*|http|data:|blob:/.test(rule))).toEqual([]);
    expect((await server.ask('GET', path)).status).toBe(401);
    expect((await server.ask('GET', path, { headers: { cookie: `${cookie}x` } })).status).toBe(401);
    expect((await server.ask('GET', path, { headers: { cookie, origin: 'http://127.0.0.1:1' } })).status).toBe(403);
    expect((await server.ask('GET', path, { headers: { cookie, 'sec-fetch-site': 'same-site' } })).status).toBe(403);
    expect((await server.ask('POST', path, { headers: { cookie, origin: server.origin }, body: {} })).status).toBe(401);
    expect(server.called).toEqual([]);
  },
);

describe('what is no route', () => {
  const paths = [
    ...['//', '/v1', '/v1/', '/v1/repositories/', '//v1/repositories', '/v1//repositories', '/V1/repositories'],
    ...['/./v1/repositories', '/v1/../v1/repositories', '/v1/%2e%2e/v1/repositories', '/v1/repositories%00'],
    ...[
      '/v1/repositories;x',
      '/v1%2frepositories',
      '/v1/repositories%',
      '/v1/repositories/%ff',
      '/favicon.ico',
      '/.git',
    ],
    ...['/enter', '/enter/', '/enter/x', `/enter/${'A'.repeat(42)}`, `/enter/${'A'.repeat(44)}`, '/server/key', '*'],
  ];
  test.each(paths)('%s is not there without a token, and nothing with one', async (path) => {
    await using server = await recordingServer();
    expect((await server.ask('GET', path)).status).toBe(401);
    const seen = await server.ask('GET', path, { token: server.tokens.approve });
    expect(seen.status).toBe(404);
    expect(server.called).toEqual([]);
  });

  test.each(['OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PROPFIND', 'SEARCH', 'M-SEARCH', 'LINK'])(
    'the method %s reaches no handler',
    async (method) => {
      await using server = await recordingServer();
      for (const [, route] of everyRoute) {
        const stranger = await server.ask(method, pathOf(route));
        const known = await server.ask(method, pathOf(route), { token: server.tokens.approve });
        expect([stranger.status, known.status]).toEqual([401, 405]);
        expect(Object.keys(known.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
        expect(known.headers['allow']).toContain(route.method);
      }
      expect(server.called).toEqual([]);
    },
  );

  test('HEAD passes the same doors as GET and shows no body', async () => {
    await using server = await recordingServer();
    const { called, tokens } = server;
    expect((await server.ask('HEAD', '/v1/repositories')).status).toBe(401);
    expect(called).toEqual([]);
    const seen = await server.ask('HEAD', '/v1/repositories', { token: tokens.read });
    expect([seen.status, seen.text, called.length]).toEqual([409, '', 1]);
  });

  test('CONNECT, absolute and authority targets, and other protocols lead nowhere', async () => {
    await using server = await recordingServer();
    const { host, tokens } = server;
    const known = `Host: ${host}\r\nAuthorization: Bearer ${tokens.approve}\r\nConnection: close\r\n\r\n`;
    const lines = [
      `CONNECT ${host} HTTP/1.1`,
      'CONNECT 169.254.169.254:80 HTTP/1.1',
      `GET http://${host}/v1/repositories HTTP/1.1`,
      'GET http://evil.example/v1/repositories HTTP/1.1',
      `GET ${host}/v1/repositories HTTP/1.1`,
      'get /v1/repositories HTTP/1.1',
      'GET /v1/repositories HTTP/1.1 x',
      'GET /v1/repo\x00sitories HTTP/1.1',
      'PRI * HTTP/2.0\r\n\r\nSM',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'SSH-2.0-OpenSSH_9.6',
    ];
    for (const line of lines) {
      const said = await server.raw(`${line}\r\n${known}`);
      expect(said === '' || /^HTTP\/1\.1 (400|404|505) /.test(said) ? 'refused' : `${line}: ${said}`).toBe('refused');
    }
    expect(server.called).toEqual([]);
    expect((await server.ask('GET', '/v1/repositories', { token: tokens.read })).status).toBe(409);
  });
});

test('a one-time link works once, in time, under our name, by GET, and never with what another site sends', async () => {
  let now = Date.now();
  const later = await import('../../src/server/http/keys.ts');
  const key = randomBytes(32);
  await using server = await recordingServer({
    links: later.oneTimeLinks(
      () => key,
      () => now,
    ),
  });
  const links = later.oneTimeLinks(
    () => server.secret,
    () => now,
  );
  await using ours = await recordingServer({ links });
  const enter = (code: string, asked: Asked = {}, method = 'GET') => ours.ask(method, `/enter/${code}`, asked);

  const { code } = links.make('operate');
  expect((await server.ask('GET', `/enter/${code}`)).status).toBe(401);
  expect((await enter(code, { headers: { host: `evil.example:${ours.port}` } })).status).toBe(421);
  expect(
    (await ours.raw(`GET /enter/${code} HTTP/1.1\r\nHost: ${ours.host}\r\nHost: ${ours.host}\r\n\r\n`)).slice(9, 12),
  ).toMatch(/4../);
  expect((await enter(code, { headers: { origin: 'http://evil.example' } })).status).toBe(403);
  for (const method of ['HEAD', 'POST', 'OPTIONS']) expect((await enter(code, {}, method)).status).toBe(401);
  const entered = await enter(code);
  expect(entered.status).toBe(303);
  expect(entered.text).toBe('');
  const [cookie = ''] = entered.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(/^tidegate=operate\.\d+\.[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200$/);
  const value = cookie.split(/[=;]/)[1] ?? '';
  expect(entered.headers.location).toBe(`/#key=${pageKeyOf(server.secret, value)}`);
  expect((await enter(code)).status).toBe(401);
  const late = links.make('approve').code;
  now += 5 * 60_000;
  expect((await enter(late)).status).toBe(401);
  expect([...ours.called, ...server.called]).toEqual([]);
});

test('the real server refuses all of it too, and neither ledger nor state changes', async () => {
  await using scene = await projectWithRun();
  await using server = await serverOf(scene);
  const [before, files] = [await scene.events(), readdirSync(scene.state().root).toSorted()];
  const strange = Object.values(strangers(server.secret));
  const seen = new Set<number>();
  for (const [index, [, route]] of everyRoute.entries()) {
    const asked = strange[index % strange.length] ?? {};
    const named = { body: {}, ...asked, headers: { origin: server.url, ...asked.headers } };
    seen.add((await server.ask(route.method, pathOf(route), named)).status);
    const below: AccessRole | undefined = accessRoles[accessRoles.indexOf(route.role) - 1];
    if (below === undefined) continue;
    const { status } = await server.ask(route.method, pathOf(route), { token: server.tokens[below], body: {} });
    expect(`${route.path} ${status}`).toBe(`${route.path} 403`);
  }
  // more than so many guesses in a second are not even looked at
  expect([...seen].filter((status) => status !== 401 && status !== 429)).toEqual([]);
  expect(await scene.events()).toEqual(before);
  expect(readdirSync(scene.state().root).toSorted()).toEqual(files);
  const { stdout, stderr } = await server.stop();
  expect(
    [...Object.values(server.tokens), server.secret.toString('base64url')].filter((one) =>
      `${stdout}${stderr}`.includes(one),
    ),
  ).toEqual([]);
});
