import { randomBytes } from 'node:crypto';
import type { AccessRole } from '../../protocol/route.ts';
import { cookieOf, pageKeyOf } from './keys.ts';

/** One-time links: who follows one gets a cookie and its page key, so that no token ever stands in an address or a history. */
export type Links = {
  make(role: AccessRole): { readonly code: string; readonly expires: number };
  /** What a browser gets for it, once; null for a code that was used, is too old or was never made. */
  take(code: string): LinkEntry | null;
  /** None that was made so far is any good. */
  clear(): void;
};
export type LinkEntry = { readonly cookie: string; readonly seconds: number; readonly pageKey: string };

const linkMs = 5 * 60_000;
const cookieSeconds = 12 * 60 * 60;
const most = 100;

export function oneTimeLinks(secret: () => Buffer, now: () => number): Links {
  const open = new Map<string, { readonly role: AccessRole; readonly expires: number }>();
  return {
    make(role) {
      const [oldest] = open.keys();
      if (open.size >= most && oldest !== undefined) open.delete(oldest);
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
