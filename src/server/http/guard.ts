import type { IncomingHttpHeaders } from 'node:http';
import { cookieName, pageKeyHeader, pageKeyProtocol, tokenProtocol } from '../../protocol/credentials.ts';
import { type Problem, problem } from '../../protocol/problem.ts';
import type { AccessRole } from '../../protocol/route.ts';
import { isPageKey, roleOfToken, visitOf } from './keys.ts';

export type Doors = {
  /** `Host` values that this server answers to, exactly. */
  readonly hosts: readonly string[];
  /** The same as a browser names them: `http://127.0.0.1:3847`. */
  readonly origins: readonly string[];
  readonly secret: Buffer;
};
type Knock = {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Some headers may stand there twice, and Node would join or drop them. */
  readonly rawHeaders: readonly string[];
  /** A WebSocket: it can do all that its role may, for as long as it lasts. */
  readonly upgrade: boolean;
  /** It asks for a page of ours, which is the same for everybody. */
  readonly page: boolean;
  readonly now: number;
};
type Admitted =
  /** `until`: when it is over; null for a token, which lasts as long as the secret. */
  | { readonly ok: true; readonly role: AccessRole; readonly until: number | null }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Who may come in at all, before anything else of a request is looked at. A page of another site must not get through by a
 * name that resolves to us (Host), nor with a cookie that the browser adds by itself (Origin); a missing Origin is no trust. Nor
 * does the cookie alone let anybody in who was sent it by a browser on another port.
 */
export function admit(doors: Doors, knock: Knock): Admitted {
  const { headers } = knock;
  const strange = misdirected(doors, knock);
  if (strange !== null) return refused(strange);
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return refused(problem(403, 'wrong-origin', 'requests that other sites cause are not let in'));
  const token = tokenIn(knock);
  if (token === null) return byCookie(doors, knock);
  const role = roleOfToken(doors.secret, token);
  return role === null ? unknown() : { ok: true, role, until: null };
}

function byCookie({ secret }: Doors, knock: Knock): Admitted {
  const { headers, method, upgrade, page, now } = knock;
  const cookie = cookieIn(headers.cookie);
  if (cookie === null) return unknown();
  const isSafe = (method === 'GET' || method === 'HEAD') && !upgrade;
  if (!isSafe && headers.origin === undefined)
    return refused(
      problem(403, 'wrong-origin', 'with a cookie, a request that changes something has to name its origin'),
    );
  const visit = visitOf(secret, cookie, now);
  if (visit === null) return unknown();
  return (page && isSafe) || isPageKey(secret, cookie, pageKeyIn(knock)) ? { ok: true, ...visit } : refused(bareCookie);
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

function tokenIn(knock: Knock): string | null {
  const { authorization } = knock.headers;
  if (authorization !== undefined) return /^Bearer ([\w.-]{1,200})$/.exec(authorization)?.[1] ?? '';
  return offered(knock, tokenProtocol);
}

function pageKeyIn(knock: Knock): string {
  const shown = knock.headers[pageKeyHeader];
  return typeof shown === 'string' ? shown : (offered(knock, pageKeyProtocol) ?? '');
}

/** What follows on this in a protocol that is offered for a WebSocket. */
function offered({ headers, upgrade }: Knock, start: string): string | null {
  const named = upgrade ? (headers['sec-websocket-protocol'] ?? '') : '';
  const all = named.split(',').map((one) => one.trim());
  return all.find((one) => one.startsWith(start))?.slice(start.length) ?? null;
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
const bareCookie = problem(401, 'token-needed', 'a cookie alone opens pages, and nothing else', {
  next: 'pages of this server send their key along; a program sends Authorization: Bearer <token>',
});
const hostHint = ({ hosts }: Doors): string => `use http://${hosts[0] ?? '127.0.0.1'}`;
