import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { type AccessRole, accessRoles } from '../../protocol/route.ts';

/**
 * What callers show to be let in. All of it is derived from one secret of 256 bits, so that one file is kept and one file is renewed.
 *   token    `tg-<role>-<43 characters>`, for programs, for as long as the secret lasts
 *   cookie   `<role>.<expires>.<43 characters>`, for the browser that followed a one-time link. Browsers send it to every port of
 *            this machine's name, so that whoever serves a page on another port has it too: by itself it opens our pages, which show nothing
 *   page key `<43 characters>`, of one cookie: the page keeps it where only pages of its own port can read it, and shows it with the cookie
 */
export const tokenOf = (secret: Buffer, role: AccessRole): string => `tg-${role}-${sign(secret, `token ${role}`)}`;

export const cookieOf = (secret: Buffer, role: AccessRole, expires: number): string =>
  `${role}.${expires}.${sign(secret, `cookie ${role} ${expires}`)}`;

export const pageKeyOf = (secret: Buffer, cookie: string): string => sign(secret, `page ${cookie}`);

/** Takes as long for a wrong token as for a right one. */
export function roleOfToken(secret: Buffer, shown: string): AccessRole | null {
  const digest = digestOf(shown);
  return tokensOf(secret).filter((token) => timingSafeEqual(digest, token.digest))[0]?.role ?? null;
}

type Token = { readonly role: AccessRole; readonly digest: Buffer };
const tokens = new WeakMap<Buffer, readonly Token[]>();

/** Made once for a secret: every request asks for them. */
function tokensOf(secret: Buffer): readonly Token[] {
  const known = tokens.get(secret);
  if (known !== undefined) return known;
  const made = accessRoles.map((role) => ({ role, digest: digestOf(tokenOf(secret, role)) }));
  tokens.set(secret, made);
  return made;
}

type Visit = { readonly role: AccessRole; readonly until: number };

export function visitOf(secret: Buffer, cookie: string, now: number): Visit | null {
  const [, name, expires] = /^([a-z]+)\.(\d{1,15})\.[\w-]{43}$/.exec(cookie) ?? [];
  const role = accessRoles.find((one) => one === name);
  const until = Number(expires);
  if (role === undefined || !isSame(cookie, cookieOf(secret, role, until))) return null;
  return until > now ? { role, until } : null;
}

export const isPageKey = (secret: Buffer, cookie: string, shown: string): boolean =>
  isSame(shown, pageKeyOf(secret, cookie));

export const mayDo = (has: AccessRole, needed: AccessRole): boolean =>
  accessRoles.indexOf(has) >= accessRoles.indexOf(needed);

const sign = (secret: Buffer, text: string): string => createHmac('sha256', secret).update(text).digest('base64url');

const isSame = (shown: string, expected: string): boolean => timingSafeEqual(digestOf(shown), digestOf(expected));

/** What is compared is hashed first: lengths tell nothing, and the comparison needs equal ones. */
const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer');
