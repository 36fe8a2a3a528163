import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type AccessRole, accessRoles } from '../../protocol/route.ts';

/**
 * Credentials. All are derived from one secret of 256 bits, so that one file is kept and one file is renewed.
 *   token    `tg-<role>-<43 characters>`, for programs, for as long as the secret lasts
 *   cookie   `<role>.<expires>.<43 characters>`, for the browser that followed a one-time link. Browsers send it to every port of
 *            this machine's name, so a server on another port has it too: by itself it opens our pages, which show nothing
 *   page key `<43 characters>`, of one cookie: the page keeps it where only pages of its own port can read it, and sends it with the cookie
 */
export const tokenOf = (secret: Buffer, role: AccessRole): string => `tg-${role}-${sign(secret, `token ${role}`)}`;

export const cookieOf = (secret: Buffer, role: AccessRole, expires: number): string =>
  `${role}.${expires}.${sign(secret, `cookie ${role} ${expires}`)}`;

export const pageKeyOf = (secret: Buffer, cookie: string): string => sign(secret, `page ${cookie}`);

/** Takes as long for a wrong token as for a right one. */
export function roleOfToken(secret: Buffer, text: string): AccessRole | null {
  const digest = digestOf(text);
  return tokensOf(secret).filter((token) => timingSafeEqual(digest, token.digest))[0]?.role ?? null;
}

type Token = { readonly role: AccessRole; readonly digest: Buffer };
const tokens = new WeakMap<Buffer, readonly Token[]>();

/** Derived once for a secret: every request needs them. */
function tokensOf(secret: Buffer): readonly Token[] {
  const derived = tokens.get(secret) ?? accessRoles.map((role) => ({ role, digest: digestOf(tokenOf(secret, role)) }));
  tokens.set(secret, derived);
  return derived;
}

type Visit = { readonly role: AccessRole; readonly until: number };

export function visitOf(secret: Buffer, cookie: string, now: number): Visit | null {
  const [, name, expires] = /^([a-z]+)\.(\d{1,15})\.[\w-]{43}$/.exec(cookie) ?? [];
  const role = accessRoles.find((one) => one === name);
  const until = Number(expires);
  if (role === undefined || !isSame(cookie, cookieOf(secret, role, until))) return null;
  return until > now ? { role, until } : null;
}

export const isPageKey = (secret: Buffer, cookie: string, key: string): boolean =>
  isSame(key, pageKeyOf(secret, cookie));

export const mayDo = (has: AccessRole, needed: AccessRole): boolean =>
  accessRoles.indexOf(has) >= accessRoles.indexOf(needed);

const sign = (secret: Buffer, text: string): string => createHmac('sha256', secret).update(text).digest('base64url');

const isSame = (shown: string, expected: string): boolean => timingSafeEqual(digestOf(shown), digestOf(expected));

/** Hashed before they are compared: the length reveals nothing, and the comparison needs equal lengths. */
const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer');

/** One-time links: a browser that follows one gets a cookie and its page key, so that no token is in an address or a history. */
export type Links = {
  make(role: AccessRole): { readonly code: string; readonly expires: number };
  /** Returns the credentials of a browser, once. Null for a code that was used, is too old or never existed. */
  take(code: string): LinkEntry | null;
  /** Makes all links void. */
  clear(): void;
};
export type LinkEntry = { readonly cookie: string; readonly seconds: number; readonly pageKey: string };

const linkMs = 5 * 60_000;
const cookieSeconds = 12 * 60 * 60;
const mostLinks = 100;

export function oneTimeLinks(secret: () => Buffer, now: () => number): Links {
  const open = new Map<string, { readonly role: AccessRole; readonly expires: number }>();
  return {
    make(role) {
      const [oldest] = open.keys();
      if (open.size >= mostLinks && oldest !== undefined) open.delete(oldest);
      const code = randomBytes(32).toString('base64url');
      const expires = now() + linkMs;
      open.set(code, { role, expires });
      return { code, expires };
    },
    take(code) {
      const link = open.get(code);
      open.delete(code);
      if (link === undefined || link.expires <= now()) return null;
      const cookie = cookieOf(secret(), link.role, now() + cookieSeconds * 1_000);
      return { cookie, seconds: cookieSeconds, pageKey: pageKeyOf(secret(), cookie) };
    },
    clear: () => open.clear(),
  };
}
