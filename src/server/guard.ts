import type { IncomingHttpHeaders } from 'node:http';
import { type Problem, problem } from '../protocol/problem.ts';
import type { Role } from '../protocol/route.ts';
import { roleOfCookie, roleOfToken } from './keys.ts';

export type Doors = {
  /** `Host` values that this server answers to, exactly. */
  readonly hosts: readonly string[];
  /** The same as a browser names them: `http://127.0.0.1:3847`. */
  readonly origins: readonly string[];
  readonly secret: Buffer;
};
export type Knock = {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Some headers may stand there twice, and Node would join or drop them. */
  readonly rawHeaders: readonly string[];
  /** A WebSocket: it can do all that its role may, for as long as it lasts. */
  readonly upgrade: boolean;
  readonly now: number;
};
export type Admitted = { readonly ok: true; readonly role: Role } | { readonly ok: false; readonly problem: Problem };

export const cookieName = 'tidegate';
/** A browser cannot set headers on a WebSocket; it can name protocols. */
export const tokenProtocol = 'tidegate.token.';

/**
 * Who may come in at all, before anything else of a request is looked at. A page of another site must not get through by a
 * name that resolves to us (Host), nor with a cookie that the browser adds by itself (Origin); a missing Origin is no trust.
 */
export function admit(doors: Doors, knock: Knock): Admitted {
  const { headers, method, upgrade } = knock;
  const strange = misdirected(doors, knock);
  if (strange !== null) return refused(strange);
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return refused(problem(403, 'wrong-origin', 'requests that other sites cause are not let in'));
  const byToken = tokenIn(headers, upgrade);
  if (byToken !== null) {
    const role = roleOfToken(doors.secret, byToken);
    return role === null ? unknown() : { ok: true, role };
  }
  const byCookie = cookieIn(headers.cookie);
  if (byCookie === null) return unknown();
  const isSafe = (method === 'GET' || method === 'HEAD') && !upgrade;
  if (!isSafe && origin === undefined)
    return refused(
      problem(403, 'wrong-origin', 'with a cookie, a request that changes something has to name its origin'),
    );
  const role = roleOfCookie(doors.secret, byCookie, knock.now);
  return role === null ? unknown() : { ok: true, role };
}

/** Null: it was meant for us, by a page of ours or by none. */
export function misdirected(
  doors: Doors,
  { headers, rawHeaders }: Pick<Knock, 'headers' | 'rawHeaders'>,
): Problem | null {
  if (countOf(rawHeaders, 'host') !== 1 || !doors.hosts.includes(headers.host ?? ''))
    return problem(421, 'wrong-host', 'the Host header names another server', { next: hostHint(doors) });
  const isForeign = headers.origin !== undefined && !doors.origins.includes(headers.origin);
  return isForeign ? problem(403, 'wrong-origin', 'pages of other origins are not let in') : null;
}

function tokenIn(headers: IncomingHttpHeaders, upgrade: boolean): string | null {
  if (headers.authorization !== undefined) return /^Bearer ([\w.-]{1,200})$/.exec(headers.authorization)?.[1] ?? '';
  const named = upgrade ? (headers['sec-websocket-protocol'] ?? '') : '';
  const offered = named.split(',').map((one) => one.trim());
  return offered.find((one) => one.startsWith(tokenProtocol))?.slice(tokenProtocol.length) ?? null;
}

function cookieIn(header: string | undefined): string | null {
  const all = (header ?? '').split(';').map((pair) => pair.trim().split('='));
  const ours = all.filter(([name]) => name === cookieName);
  // two of that name: one was planted by a neighbour on another port
  return ours.length === 1 ? (ours[0]?.[1] ?? null) : null;
}

const countOf = (raw: readonly string[], name: string): number =>
  raw.filter((header, at) => at % 2 === 0 && header.toLowerCase() === name).length;

const refused = (why: Problem): Admitted => ({ ok: false, problem: why });
const unknown = (): Admitted =>
  refused(
    problem(401, 'token-needed', 'no valid token came with the request', {
      next: 'send Authorization: Bearer <token>; tidegate token prints one',
    }),
  );
const hostHint = ({ hosts }: Doors): string => `use http://${hosts[0] ?? '127.0.0.1'}`;
