import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { maskTexts } from '../../domain/secrets/secret-shapes.ts';
import type { Content } from '../../ports/repository-handle.ts';
import { type Problem, problem } from '../../protocol/problem.ts';
import type { ProtocolHandler } from '../site.ts';
import type { Page } from './front-page.ts';

/** Headers of every answer: it is not cached, sniffed, framed or run. */
export const always = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

export function sendJson(response: ServerResponse, status: number, value: unknown, type = 'application/json'): void {
  const text = JSON.stringify(maskTexts(value));
  response.writeHead(status, { ...always, 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** A page loads and requests only from this server. */
export function sendPage(response: ServerResponse, { type, body }: Page): void {
  response.writeHead(200, {
    ...always,
    'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** Refuses a person at a browser. The page loads and runs nothing. */
export function sendRefusalPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, {
    ...always,
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(html),
  });
  response.end(html);
}

export const sendProblem = (response: ServerResponse, why: Problem): void =>
  sendJson(response, why.status, why, 'application/problem+json');

/**
 * Refuses a request whose rest will not be read. The rest is thrown away for a moment: a connection that is closed with unread bytes
 * is reset, and the caller would never see the answer.
 */
export function sendLastProblem(request: IncomingMessage, response: ServerResponse, why: Problem): void {
  const text = JSON.stringify(why);
  response.writeHead(why.status, {
    ...always,
    connection: 'close',
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(text),
  });
  response.write(text);
  const done = (): void => void response.end();
  const patience = setTimeout(done, lingerMs);
  request.once('end', done).once('error', done).resume();
  response.once('close', () => clearTimeout(patience));
}

/** Refuses a WebSocket: Node has no response object for it. */
export function refuseUpgrade(socket: Duplex, why: Problem): void {
  const text = JSON.stringify(why);
  const headers = {
    ...always,
    connection: 'close',
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(text),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const answer = [`HTTP/1.1 ${why.status} ${STATUS_CODES[why.status] ?? ''}`, ...lines, '', text].join('\r\n');
  // on both sides: nothing else ends a connection that the HTTP server has handed over
  socket.end(answer, () => socket.destroy());
}

const lingerMs = 1_000;

/** Sends the whole content, or the requested range. */
export async function sendContent(
  request: IncomingMessage,
  response: ServerResponse,
  type: string,
  content: Content,
): Promise<void> {
  // a range selects from what is sent, and HEAD sends nothing
  const range = request.method === 'HEAD' ? null : rangeOf(request.headers.range, content.bytes);
  if (range === 'unsatisfiable') {
    response.setHeader('content-range', `bytes */${content.bytes}`);
    sendProblem(response, problem(416, 'bad-range', `the content has ${content.bytes} bytes`));
    return;
  }
  const { from, to } = range ?? { from: 0, to: content.bytes };
  response.writeHead(range === null ? 200 : 206, {
    ...always,
    'content-type': `${type}; charset=utf-8`,
    'content-disposition': 'attachment',
    'accept-ranges': 'bytes',
    'content-length': to - from,
    ...(range === null ? {} : { 'content-range': `bytes ${from}-${to - 1}/${content.bytes}` }),
  });
  let left = request.method === 'HEAD' ? 0 : to - from;
  if (left > 0)
    for await (const chunk of content.read(from, to)) {
      if (response.destroyed) return;
      left -= chunk.length;
      if (!response.write(chunk))
        await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    }
  // the content became shorter: the caller must not wait for the announced rest, nor take the next answer for it
  if (left > 0) return void response.destroy();
  response.end();
  await finished(response).catch(() => undefined);
}

/** Reads one range of bytes, or the last so many. Null for several ranges: they get the whole content. */
function rangeOf(header: string | undefined, bytes: number): { from: number; to: number } | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const to = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1);
  return from >= to ? 'unsatisfiable' : { from, to };
}

/** Streams the answer of another protocol. Its handler sees no credentials. */
export async function sendProtocol(
  request: IncomingMessage,
  response: ServerResponse,
  handle: ProtocolHandler,
  body: unknown,
): Promise<void> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string' && !['authorization', 'cookie'].includes(name)) headers.set(name, value);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const url = `http://localhost${request.url ?? '/'}`;
  const reply = await handle(new Request(url, { method: 'POST', headers, signal: gone.signal }), body);
  const type = reply.headers.get('content-type');
  response.writeHead(reply.status, { ...always, ...(type === null ? {} : { 'content-type': type }) });
  for await (const chunk of reply.body ?? []) if (!response.destroyed) response.write(chunk);
  response.end();
}
