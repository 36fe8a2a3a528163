import { chmodSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import type { Finding } from '../../domain/findings/finding.ts';
import {
  canonicalHost,
  type HostPattern,
  hostPatterns,
  hostText,
  isListed,
} from '../../domain/settings/network-hosts.ts';
import { Denied, dial, dialUpstream, type Target, Unreachable } from './dial.ts';
import { withoutHops } from './headers.ts';
import { type Upstream, upstreamFor } from './upstream.ts';

type RelayOrder = {
  /** Hosts as the plan lists them. */
  readonly hosts: readonly string[];
  /** Of our own process: the person may sit behind a proxy themselves. */
  readonly ours: Readonly<Record<string, string | undefined>>;
  /** Once for each host and port, and for no more than a hundred of them. */
  denied(target: string, because: Finding): void;
};

const limits = { connections: 256, idleMs: 15 * 60_000, headersMs: 30_000, denials: 100 };

/**
 * The only way out of a fence with a list of hosts: an HTTP proxy on a unix socket. CONNECT, and plain requests with an absolute
 * address. What it carries it does not read, and it holds no more of it than the two sockets do.
 */
export async function openRelay(path: string, order: RelayOrder): Promise<AsyncDisposable> {
  const list = hostPatterns(order.hosts);
  const told = new Set<string>();
  const answered = (error: unknown, target: string): { readonly status: number; readonly why: string } => {
    // Not ours to fail for: either side chose what the other cannot be told.
    if (!(error instanceof Denied)) return { status: 502, why: `${target}: ${messageOf(error)}` };
    if (!told.has(target) && told.size < limits.denials) {
      told.add(target);
      order.denied(target, error.finding);
    }
    return { status: 403, why: error.message };
  };
  const server = createServer({ headersTimeout: limits.headersMs, requestTimeout: 0 });
  server.maxConnections = limits.connections;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    socket.setTimeout(limits.idleMs, () => socket.destroy());
  });
  server.on('connect', (asked, socket, head) => {
    const target = authorityIn(asked.url ?? '');
    tunnel(asked, list, order)
      .then((remote) => join(socket, remote, head))
      .catch((error: unknown) => {
        const { status, why } = answered(error, target);
        socket.end(`HTTP/1.1 ${status} ${reasons[status]}\r\n${bodyOf(why)}`);
      });
  });
  server.on('request', (asked, response) => {
    forward(asked, response, list, order).catch((error: unknown) => {
      const { status, why } = answered(error, authorityIn(URL.parse(asked.url ?? '')?.host ?? ''));
      asked.resume();
      if (response.headersSent) response.destroy();
      else response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`tidegate: ${why}\n`);
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  chmodSync(path, 0o666);
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function tunnel(asked: IncomingMessage, list: readonly HostPattern[], { ours }: RelayOrder): Promise<Duplex> {
  const [, host = '', port = ''] = /^(.*):(\d{1,5})$/s.exec(asked.url ?? '') ?? [];
  const target = judged(host, Number(port), list);
  const upstream = upstreamFor(ours, 'https', target.host, target.port);
  return upstream === null ? await dial(target, list) : await tunnelThrough(upstream, target);
}

/** The host in its canonical form, when it is on the list. */
function judged(text: string, port: number, list: readonly HostPattern[]): Target {
  const host = canonicalHost(text);
  if (host === null) throw new Denied({ fault: 'not-host', target: text.slice(0, 300) });
  if (!isListed(list, host, port)) throw new Denied({ fault: 'not-listed', target: `${hostText(host)}:${port}` });
  return { host, port };
}

async function tunnelThrough(upstream: Upstream, { host, port }: Target): Promise<Duplex> {
  const socket = await dialUpstream(upstream);
  const authority = `${hostText(host)}:${port}`;
  const asking = httpRequest({
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...authorizationOf(upstream) },
    createConnection: () => socket,
  });
  return await new Promise((resolve, reject) => {
    const refuse = (why: string): void => {
      socket.destroy();
      reject(new Unreachable(`your own proxy: ${why}`));
    };
    asking.once('connect', (answer, through, head) => {
      if (answer.statusCode !== 200) return refuse(`${answer.statusCode} ${answer.statusMessage}`);
      through.unshift(head);
      resolve(through);
    });
    asking.once('response', (answer) => refuse(`${answer.statusCode} ${answer.statusMessage}`));
    asking.once('error', (error) => refuse(error.message));
    asking.end();
  });
}

/** `http://host/path`. Every request is judged, however many come over one connection. */
async function forward(
  asked: IncomingMessage,
  response: ServerResponse,
  list: readonly HostPattern[],
  { ours }: RelayOrder,
): Promise<void> {
  const url = URL.parse(asked.url ?? '');
  if (url === null || url.protocol !== 'http:' || url.username !== '' || url.password !== '')
    throw new Denied({ fault: 'not-proxy-request', target: authorityIn(asked.url ?? '') });
  const target = judged(url.hostname, url.port === '' ? 80 : Number(url.port), list);
  const upstream = upstreamFor(ours, 'http', target.host, target.port);
  const socket = upstream === null ? await dial(target, list) : await dialUpstream(upstream);
  const path = `${url.pathname}${url.search}`;
  const passed = httpRequest({
    method: asked.method,
    path: upstream === null ? path : `http://${url.host}${path}`,
    headers: {
      ...withoutHops(asked.headers),
      ...(asked.headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' }),
      ...(upstream === null ? {} : authorizationOf(upstream)),
      host: url.host,
      connection: 'close',
    },
    createConnection: () => socket,
  });
  response.on('close', () => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    passed.once('error', reject);
    passed.once('response', (answer) => {
      try {
        response.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers));
        pipeline(answer, response, () => resolve());
      } catch (error) {
        reject(error);
      }
    });
    pipeline(asked, passed, () => undefined);
  });
}

const authorizationOf = ({ authorization }: Upstream) =>
  authorization === null ? {} : { 'proxy-authorization': authorization };

function join(near: Duplex, far: Duplex, head: Buffer): void {
  near.write('HTTP/1.1 200 Connection established\r\n\r\n');
  far.write(head);
  // Each ends the other; a break of one is a break of both.
  pipeline(near, far, () => undefined);
  pipeline(far, near, () => undefined);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const reasons: Readonly<Record<number, string>> = { 403: 'Forbidden', 502: 'Bad Gateway' };
const bodyOf = (why: string): string => {
  const text = `tidegate: ${why}\n`;
  return `content-type: text/plain\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`;
};

/** For people and the ledger; the agent chose every character. */
const authorityIn = (text: string): string => text.slice(0, 300);
