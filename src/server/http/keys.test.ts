import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { accessRoles } from '../../protocol/route.ts';
import { cookieOf, isPageKey, mayDo, pageKeyOf, roleOfToken, tokenOf, visitOf } from './keys.ts';

const [secret, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

describe('a token', () => {
  test.each(accessRoles)('of %s stands for that role, with this secret only', (role) => {
    expect(roleOfToken(secret, tokenOf(secret, role))).toBe(role);
    expect(roleOfToken(other, tokenOf(secret, role))).toBeNull();
  });

  test.each([
    ['nothing', ''],
    ['a role that was put in its place', tokenOf(secret, 'read').replace('read', 'approve')],
    ['its beginning', tokenOf(secret, 'read').slice(0, -1)],
    ['more than it', `${tokenOf(secret, 'read')}x`],
    ['other case', tokenOf(secret, 'read').toUpperCase()],
    ['a cookie', cookieOf(secret, 'read', 10)],
  ])('that is %s stands for none', (_, shown) => {
    expect(roleOfToken(secret, shown)).toBeNull();
  });

  test('has 256 bits that differ from role to role', () => {
    const signed = accessRoles.map((role) => tokenOf(secret, role).slice(`tg-${role}-`.length));
    expect(signed.map((one) => Buffer.from(one, 'base64url').length)).toEqual([32, 32, 32]);
    expect(new Set(signed).size).toBe(3);
  });
});

test('what is shown is compared whole and in constant time, with every role, and nowhere else', () => {
  const source = readFileSync(new URL('./keys.ts', import.meta.url), 'utf8');
  const compares = source.slice(source.indexOf('export function roleOfToken'), source.indexOf('type Token'));
  expect(compares).toMatch(/tokensOf\(secret\)\.filter\(\(token\) => timingSafeEqual\(digest, token\.digest\)\)/);
  expect(compares).not.toMatch(/[!=]==|\.(find|some|startsWith|includes|slice)\(/);
  expect(source).toMatch(/isSame = \(.*\): boolean => timingSafeEqual\(digestOf\(shown\), digestOf\(expected\)\)/);
  const guard = readFileSync(new URL('./guard.ts', import.meta.url), 'utf8');
  expect(guard).not.toMatch(/tokenOf|cookieOf|pageKeyOf/);
});

describe('a cookie', () => {
  const cookie = cookieOf(secret, 'operate', 1_000);

  test('holds until it expires', () => {
    expect(visitOf(secret, cookie, 999)).toEqual({ role: 'operate', until: 1_000 });
    expect(visitOf(secret, cookie, 1_000)).toBeNull();
  });

  test.each([
    ['with a later end', cookie.replace('1000', '9000')],
    ['with the same end written otherwise', cookie.replace('1000', '01000')],
    ['of another role', cookie.replace('operate', 'approve')],
    ['of no role', cookie.replace('operate', 'root')],
    ['of another secret', cookieOf(other, 'operate', 1_000)],
    ['that is a token', tokenOf(secret, 'operate')],
  ])('%s is none', (_, shown) => {
    expect(visitOf(secret, shown, 0)).toBeNull();
  });
});

test('a page key is of one cookie and one secret', () => {
  const [cookie, later] = [cookieOf(secret, 'read', 1_000), cookieOf(secret, 'read', 1_001)];
  const key = pageKeyOf(secret, cookie);
  expect(isPageKey(secret, cookie, key)).toBe(true);
  expect(isPageKey(secret, later, key)).toBe(false);
  expect(isPageKey(other, cookie, key)).toBe(false);
  for (const shown of ['', cookie, cookie.split('.')[2] ?? '', key.slice(1), `${key}x`])
    expect(isPageKey(secret, cookie, shown)).toBe(false);
});

test('each role may all that those before it may', () => {
  expect(accessRoles.map((has) => accessRoles.filter((needed) => mayDo(has, needed)))).toEqual([
    ['read'],
    ['read', 'operate'],
    ['read', 'operate', 'approve'],
  ]);
});
