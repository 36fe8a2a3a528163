import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { admit } from './guard.ts';
import { cookieOf, pageKeyOf, tokenOf } from './keys.ts';

const secret = Buffer.alloc(32, 1);
const access = {
  hosts: ['127.0.0.1:3847', 'localhost:3847', '[::1]:3847'],
  origins: ['http://127.0.0.1:3847', 'http://localhost:3847', 'http://[::1]:3847'],
  secret,
};
const host = '127.0.0.1:3847';
const origin = 'http://127.0.0.1:3847';
const authorization = `Bearer ${tokenOf(secret, 'operate')}`;
const value = cookieOf(secret, 'approve', 1_000);
const cookie = `tidegate=${value}`;
const key = pageKeyOf(secret, value);
const entered = { cookie, 'tidegate-page': key };
const page = `tidegate.page.${key}`;
const strange = pageKeyOf(secret, cookieOf(secret, 'approve', 1_001));

function outcome(
  headers: IncomingHttpHeaders,
  { method = 'GET', upgrade = false, page = false, rawHeaders = ['Host', host] } = {},
) {
  const admitted = admit(access, { method, upgrade, page, headers: { host, ...headers }, rawHeaders, now: 500 });
  return admitted.ok ? admitted.role : `${admitted.problem.status} ${admitted.problem.type.replace('tidegate:', '')}`;
}
const [badHost, badOrigin, noToken] = ['421 wrong-host', '403 wrong-origin', '401 token-needed'];

describe('with a token', () => {
  test.each<[string, IncomingHttpHeaders, string]>([
    ['to us', { authorization }, 'operate'],
    ['by another name of ours', { authorization, host: 'localhost:3847' }, 'operate'],
    ['from our own page', { authorization, origin, 'sec-fetch-site': 'same-origin' }, 'operate'],
    ['typed into a browser', { authorization, 'sec-fetch-site': 'none' }, 'operate'],
    ['to a name that leads here', { authorization, host: 'evil.example:3847' }, badHost],
    ['without the port', { authorization, host: '127.0.0.1' }, badHost],
    ['in capitals', { authorization, host: 'LOCALHOST:3847' }, badHost],
    ['with a dot at the end', { authorization, host: 'localhost.:3847' }, badHost],
    ['to nobody', { authorization, host: '' }, badHost],
    ['from another origin', { authorization, origin: 'http://evil.example' }, badOrigin],
    ['from a file or a frame', { authorization, origin: 'null' }, badOrigin],
    ['from another port', { authorization, origin: 'http://127.0.0.1:3000' }, badOrigin],
    ['from https', { authorization, origin: 'https://127.0.0.1:3847' }, badOrigin],
    ['caused by another site', { authorization, 'sec-fetch-site': 'cross-site' }, badOrigin],
    ['caused by a neighbour', { authorization, 'sec-fetch-site': 'same-site' }, badOrigin],
    ['of another kind', { authorization: authorization.replace('Bearer', 'Basic') }, noToken],
    ['in small letters', { authorization: authorization.replace('Bearer', 'bearer') }, noToken],
    ['twice', { authorization: `${authorization}, ${authorization}` }, noToken],
    ['that is wrong, beside a cookie that is right', { authorization: 'Bearer x', cookie }, noToken],
    ['in a protocol, but not for a WebSocket', { 'sec-websocket-protocol': protocol('operate') }, noToken],
  ])('%s', (_, headers, expected) => {
    expect(outcome(headers)).toBe(expected);
  });

  test('Host may stand there once', () => {
    expect(outcome({ authorization }, { rawHeaders: ['Host', host, 'host', 'evil.example'] })).toBe(badHost);
    expect(outcome({ authorization }, { rawHeaders: [] })).toBe(badHost);
    // a value is no name
    expect(outcome({ authorization }, { rawHeaders: ['Host', host, 'x', 'host'] })).toBe('operate');
  });
});

describe('with a cookie', () => {
  test.each<[string, string, IncomingHttpHeaders, boolean, string]>([
    ['reading', 'GET', entered, false, 'approve'],
    ['reading by HEAD', 'HEAD', entered, false, 'approve'],
    ['among others', 'GET', { ...entered, cookie: `a=1; ${cookie}; b=2` }, false, 'approve'],
    ['changing something from our page', 'POST', { ...entered, origin }, false, 'approve'],
    ['changing something from nowhere', 'POST', entered, false, badOrigin],
    ['patching from nowhere', 'PATCH', entered, false, badOrigin],
    [
      'a WebSocket from our page',
      'GET',
      { cookie, origin, 'sec-websocket-protocol': `tidegate, ${page}` },
      true,
      'approve',
    ],
    ['a WebSocket without the page key', 'GET', { cookie, origin }, true, noToken],
    [
      'a page key in a protocol, but not for a WebSocket',
      'GET',
      { cookie, 'sec-websocket-protocol': page },
      false,
      noToken,
    ],
    ['a WebSocket from nowhere', 'GET', entered, true, badOrigin],
    ['two of that name', 'GET', { ...entered, cookie: `${cookie}; ${cookie}` }, false, noToken],
    ['another name', 'GET', { ...entered, cookie: cookie.replace('tidegate', 'Tidegate') }, false, noToken],
    ['an old one', 'GET', { cookie: `tidegate=${cookieOf(secret, 'read', 500)}` }, false, noToken],
    ['an empty one', 'GET', { cookie: 'tidegate=' }, false, noToken],
    ['none', 'GET', {}, false, noToken],
    ['without its page key', 'GET', { cookie }, false, noToken],
    ['with an empty page key', 'GET', { cookie, 'tidegate-page': '' }, false, noToken],
    ['with itself as the page key', 'GET', { cookie, 'tidegate-page': value }, false, noToken],
    ['with the page key of another cookie', 'GET', { cookie, 'tidegate-page': strange }, false, noToken],
    ['only the page key', 'GET', { 'tidegate-page': key }, false, noToken],
  ])('%s', (_, method, headers, upgrade, expected) => {
    expect(outcome(headers, { method, upgrade })).toBe(expected);
  });
});

test('a WebSocket may show its token as a protocol', () => {
  const offered = `tidegate, ${protocol('read')}`;
  expect(outcome({ 'sec-websocket-protocol': offered }, { upgrade: true })).toBe('read');
  expect(outcome({ 'sec-websocket-protocol': offered, origin: 'http://evil.example' }, { upgrade: true })).toBe(
    badOrigin,
  );
});

describe('with a cookie alone', () => {
  test.each<[string, string, IncomingHttpHeaders, string]>([
    ['a page is shown', 'GET', { cookie }, 'approve'],
    ['not to a stranger', 'GET', {}, noToken],
    ['not to a page of another port', 'GET', { cookie, origin: 'http://127.0.0.1:3000' }, badOrigin],
    ['nothing is changed', 'POST', { cookie, origin }, noToken],
  ])('%s', (_, method, headers, expected) => {
    expect(outcome(headers, { method, page: true })).toBe(expected);
  });
});

test('a refusal tells nothing that opens the door', () => {
  const admitted = admit(access, {
    method: 'GET',
    upgrade: false,
    headers: { host },
    page: false,
    rawHeaders: ['Host', host],
    now: 0,
  });
  const said = JSON.stringify(admitted);
  for (const role of ['read', 'operate', 'approve'] as const) expect(said).not.toContain(tokenOf(secret, role));
});

function protocol(role: 'read' | 'operate'): string {
  return `tidegate.token.${tokenOf(secret, role)}`;
}
