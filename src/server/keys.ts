import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { type Role, roles } from '../protocol/route.ts';

/**
 * What callers show to be let in. All of it is derived from one secret of 256 bits, so that one file is kept and one file is renewed.
 *   token    `tg-<role>-<43 characters>`, for programs, for as long as the secret lasts
 *   cookie   `<role>.<expires>.<43 characters>`, for the browser that followed a one-time link
 */
export const tokenOf = (secret: Buffer, role: Role): string => `tg-${role}-${sign(secret, `token ${role}`)}`;

export const cookieOf = (secret: Buffer, role: Role, expires: number): string =>
  `${role}.${expires}.${sign(secret, `cookie ${role} ${expires}`)}`;

/** Takes as long for a wrong token as for a right one. */
export function roleOfToken(secret: Buffer, shown: string): Role | null {
  const digest = digestOf(shown);
  return tokensOf(secret).filter((token) => timingSafeEqual(digest, token.digest))[0]?.role ?? null;
}

type Token = { readonly role: Role; readonly digest: Buffer };
const tokens = new WeakMap<Buffer, readonly Token[]>();

/** Made once for a secret: every request asks for them. */
function tokensOf(secret: Buffer): readonly Token[] {
  const known = tokens.get(secret);
  if (known !== undefined) return known;
  const made = roles.map((role) => ({ role, digest: digestOf(tokenOf(secret, role)) }));
  tokens.set(secret, made);
  return made;
}

export function roleOfCookie(secret: Buffer, shown: string, now: number): Role | null {
  const [, role, expires] = /^([a-z]+)\.(\d{1,15})\.[\w-]{43}$/.exec(shown) ?? [];
  const known = roles.find((one) => one === role);
  if (known === undefined || !isSame(shown, cookieOf(secret, known, Number(expires)))) return null;
  return Number(expires) > now ? known : null;
}

export const mayDo = (has: Role, needed: Role): boolean => roles.indexOf(has) >= roles.indexOf(needed);

const sign = (secret: Buffer, text: string): string => createHmac('sha256', secret).update(text).digest('base64url');

const isSame = (shown: string, expected: string): boolean => timingSafeEqual(digestOf(shown), digestOf(expected));

/** What is compared is hashed first: lengths tell nothing, and the comparison needs equal ones. */
const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer');
