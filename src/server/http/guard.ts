import type { IncomingHttpHeaders } from 'node:http';
import { cookieName, pageKeyHeader, pageKeyProtocol, tokenProtocol } from '../../protocol/credentials.ts';
import { type Problem, problem } from '../../protocol/problem.ts';
import type { AccessRole } from '../../protocol/route.ts';
import { isPageKey, roleOfToken, visitOf } from './keys.ts';

export type AccessRules = {
  /** `Host` values that this server answers to, exactly. */
  readonly hosts: readonly string[];
  /** The same as a browser names them: `http://127.0.0.1:3847`. */
  readonly origins: readonly string[];
  readonly secret: Buffer;
};
type AccessAttempt = {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Shows headers that occur twice, which Node joins or drops. */
  readonly rawHeaders: readonly string[];
  /** A WebSocket: it can do all that its role may, for as long as it lasts. */
  readonly upgrade: boolean;
  /** It asks for a page of ours, which is the same for everybody. */
  readonly page: boolean;
  readonly now: number;
};
type Access =
  /** `until`: when it ends; null for a token, which lasts as long as the secret. */
  | { readonly ok: true; readonly role: AccessRole; readonly until: number | null }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Decides who gets in, before anything else of a request is read. A page of another site must not get in by a name that resolves
 * to us (Host), nor with a cookie that the browser adds by itself (Origin). A missing Origin earns no trust. Nor does a cookie
 * alone let in a page of another port, to which the browser sends it too.
 */
export function admit(rules: AccessRules, attempt: AccessAttempt): Access {
  const misdirection = misdirected(rules, attempt);
  if (misdirection !== null) return refused(misdirection);
  const site = attempt.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return refused(problem(403, 'wrong-origin', 'requests from other sites are not allowed'));
  const token = tokenIn(attempt);
  if (token === null) return admitByCookie(rules, attempt);
  const role = roleOfToken(rules.secret, token);
  return role === null ? unknown() : { ok: true, role, until: null };
}

function admitByCookie({ secret }: AccessRules, attempt: AccessAttempt): Access {
  const { headers, method, upgrade, page, now } = attempt;
  const cookie = cookieIn(headers.cookie);
  if (cookie === null) return unknown();
  const isSafe = (method === 'GET' || method === 'HEAD') && !upgrade;
  if (!isSafe && headers.origin === undefined)
    return refused(
      problem(403, 'wrong-origin', 'a request with a cookie that changes something needs an Origin header'),
    );
  const visit = visitOf(secret, cookie, now);
  if (visit === null) return unknown();
  return (page && isSafe) || isPageKey(secret, cookie, pageKeyIn(attempt))
    ? { ok: true, ...visit }
    : refused(bareCookie);
}

/** Null when the request was meant for us, by a page of ours or by no page. */
export function misdirected(
  rules: AccessRules,
  { headers, rawHeaders }: Pick<AccessAttempt, 'headers' | 'rawHeaders'>,
): Problem | null {
  if (countOf(rawHeaders, 'host') !== 1 || !rules.hosts.includes(headers.host ?? ''))
    return problem(421, 'wrong-host', 'the Host header names another server', {
      next: `use http://${rules.hosts[0] ?? '127.0.0.1'}`,
    });
  const isForeign = headers.origin !== undefined && !rules.origins.includes(headers.origin);
  return isForeign ? problem(403, 'wrong-origin', 'pages of other origins are not allowed') : null;
}

function tokenIn(attempt: AccessAttempt): string | null {
  const { authorization } = attempt.headers;
  if (authorization !== undefined) return /^Bearer ([\w.-]{1,200})$/.exec(authorization)?.[1] ?? '';
  return protocolIn(attempt, tokenProtocol);
}

function pageKeyIn(attempt: AccessAttempt): string {
  const key = attempt.headers[pageKeyHeader];
  return typeof key === 'string' ? key : (protocolIn(attempt, pageKeyProtocol) ?? '');
}

/** Returns the rest of the offered WebSocket protocol that begins with `start`. */
function protocolIn({ headers, upgrade }: AccessAttempt, start: string): string | null {
  const offer = upgrade ? (headers['sec-websocket-protocol'] ?? '') : '';
  const protocols = offer.split(',').map((one) => one.trim());
  return protocols.find((one) => one.startsWith(start))?.slice(start.length) ?? null;
}

function cookieIn(header: string | undefined): string | null {
  const all = (header ?? '').split(';').map((pair) => pair.trim().split('='));
  const ours = all.filter(([name]) => name === cookieName);
  // two of that name: one was planted by a neighbour on another port
  return ours.length === 1 ? (ours[0]?.[1] ?? null) : null;
}

const countOf = (raw: readonly string[], name: string): number =>
  raw.filter((header, at) => at % 2 === 0 && header.toLowerCase() === name).length;

const refused = (why: Problem): Access => ({ ok: false, problem: why });
const unknown = (): Access =>
  refused(
    problem(401, 'token-needed', 'the request has no valid token', {
      next: 'send Authorization: Bearer <token>; tidegate token prints one',
    }),
  );
const bareCookie = problem(401, 'token-needed', 'a cookie alone opens only pages', {
  next: 'pages of this server also send their page key; a program sends Authorization: Bearer <token>',
});

/** Refuses requests that come too often. `admitted`: the caller has shown a token. */
export type Pace = (admitted: boolean) => Problem | null;

/** Slows down guesses at tokens without slowing down callers that have one. */
export function paceOf(now: () => number, limits = { admitted: 10_000, refused: 50 }): Pace {
  const buckets = { admitted: bucket(now, limits.admitted), refused: bucket(now, limits.refused) };
  return (admitted) =>
    buckets[admitted ? 'admitted' : 'refused']()
      ? null
      : problem(429, 'too-often', 'too many requests in one second', { next: 'try again in a second' });
}

/** Allows `perSecond` in a second, and as many at once. */
function bucket(now: () => number, perSecond: number): () => boolean {
  let [left, at] = [perSecond, now()];
  return () => {
    const time = now();
    left = Math.min(perSecond, left + ((time - at) / 1_000) * perSecond);
    at = time;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
