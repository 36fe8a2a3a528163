import { chmodSync } from 'node:fs';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
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
import { type Upstream, upstreamFor } from './upstream.ts';

type RelayOptions = {
  /** Hosts as the plan lists them. */
  readonly hosts: readonly string[];
  /** Environment of this process: the person may be behind a proxy. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called once for each host and port, for at most a hundred of them. */
  onDenied(target: string, because: Finding): void;
};

const limits = { connections: 256, idleMs: 15 * 60_000, headersMs: 30_000, denials: 100 };

/**
 * The only way out of a fence with a list of hosts: an HTTP proxy on a unix socket, for CONNECT and for plain requests with an absolute
 * address. It does not read the content, and buffers no more of it than the two sockets do.
 */
export async function openRelay(path: string, options: RelayOptions): Promise<AsyncDisposable> {
  const list = hostPatterns(options.hosts);
  const reported = new Set<string>();
  const answerTo = (error: unknown, target: string): { readonly status: number; readonly why: string } => {
    if (!(error instanceof Denied)) return { status: 502, why: `${target}: ${messageOf(error)}` };
    if (!reported.has(target) && reported.size < limits.denials) {
      reported.add(target);
      options.onDenied(target, error.finding);
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
  server.on('connect', (request, socket, head) => {
    const target = authorityIn(request.url ?? '');
    tunnel(request, list, options)
      .then((remote) => join(socket, remote, head))
      .catch((error: unknown) => {
        const { status, why } = answerTo(error, target);
        socket.end(`HTTP/1.1 ${status} ${reasons[status]}\r\n${bodyOf(why)}`);
      });
  });
  server.on('request', (request, response) => {
    forward(request, response, list, options).catch((error: unknown) => {
      const { status, why } = answerTo(error, authorityIn(URL.parse(request.url ?? '')?.host ?? ''));
      request.resume();
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

async function tunnel(
  request: IncomingMessage,
  list: readonly HostPattern[],
  { environment }: RelayOptions,
): Promise<Duplex> {
  const [, host = '', port = ''] = /^(.*):(\d{1,5})$/s.exec(request.url ?? '') ?? [];
  const target = listedTarget(host, Number(port), list);
  const upstream = upstreamFor(environment, 'https', target.host, target.port);
  return upstream === null ? await dial(target, list) : await tunnelThrough(upstream, target);
}

/** Returns the host in its canonical form; throws Denied when it is not on the list. */
function listedTarget(text: string, port: number, list: readonly HostPattern[]): Target {
  const host = canonicalHost(text);
  if (host === null) throw new Denied({ fault: 'not-host', target: text.slice(0, 300) });
  if (!isListed(list, host, port)) throw new Denied({ fault: 'not-listed', target: `${hostText(host)}:${port}` });
  return { host, port };
}

async function tunnelThrough(upstream: Upstream, { host, port }: Target): Promise<Duplex> {
  const socket = await dialUpstream(upstream);
  const authority = `${hostText(host)}:${port}`;
  const request = httpRequest({
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
    request.once('connect', (answer, through, head) => {
      if (answer.statusCode !== 200) return refuse(`${answer.statusCode} ${answer.statusMessage}`);
      through.unshift(head);
      resolve(through);
    });
    request.once('response', (answer) => refuse(`${answer.statusCode} ${answer.statusMessage}`));
    request.once('error', (error) => refuse(error.message));
    request.end();
  });
}

/** Handles `http://host/path`. Every request is judged, also several over one connection. */
async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  list: readonly HostPattern[],
  { environment }: RelayOptions,
): Promise<void> {
  const url = URL.parse(request.url ?? '');
  if (url === null || url.protocol !== 'http:' || url.username !== '' || url.password !== '')
    throw new Denied({ fault: 'not-proxy-request', target: authorityIn(request.url ?? '') });
  const target = listedTarget(url.hostname, url.port === '' ? 80 : Number(url.port), list);
  const upstream = upstreamFor(environment, 'http', target.host, target.port);
  const socket = upstream === null ? await dial(target, list) : await dialUpstream(upstream);
  const path = `${url.pathname}${url.search}`;
  const onward = httpRequest({
    method: request.method,
    path: upstream === null ? path : `http://${url.host}${path}`,
    headers: {
      ...withoutHops(request.headers),
      ...(request.headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' }),
      ...(upstream === null ? {} : authorizationOf(upstream)),
      host: url.host,
      connection: 'close',
    },
    createConnection: () => socket,
  });
  response.on('close', () => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    onward.once('error', reject);
    onward.once('response', (answer) => {
      try {
        response.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers));
        pipeline(answer, response, () => resolve());
      } catch (error) {
        reject(error);
      }
    });
    pipeline(request, onward, () => undefined);
  });
}

const authorizationOf = ({ authorization }: Upstream) =>
  authorization === null ? {} : { 'proxy-authorization': authorization };

/** Headers of one connection or for a proxy. They are not onward on. */
const hops = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
];

function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hops.includes(name) && !named.includes(name)));
}

function join(near: Duplex, far: Duplex, head: Buffer): void {
  near.write('HTTP/1.1 200 Connection established\r\n\r\n');
  far.write(head);
  // When one side ends or breaks, so does the other.
  pipeline(near, far, () => undefined);
  pipeline(far, near, () => undefined);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const reasons: Readonly<Record<number, string>> = { 403: 'Forbidden', 502: 'Bad Gateway' };
const bodyOf = (why: string): string => {
  const text = `tidegate: ${why}\n`;
  return `content-type: text/plain\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`;
};

/** Bounds a text for people and the ledger: the agent chose every character of it. */
const authorityIn = (text: string): string => text.slice(0, 300);
