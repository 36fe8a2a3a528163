import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { maskTexts } from '../../domain/secrets/secret-shapes.ts';
import type { Content } from '../../ports/repository-handle.ts';
import { type Problem, problem } from '../../protocol/problem.ts';
import type { Passing } from '../site.ts';
import type { Page } from './front-page.ts';

/** With every answer: nothing of it is kept, guessed at, framed or run. */
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

/** A page runs and asks for what is ours, and nothing else. */
export function sendPage(response: ServerResponse, { type, body }: Page): void {
  response.writeHead(200, {
    ...always,
    'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** A refusal for a person at a browser. It loads and runs nothing. */
export function sendRefusalPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, {
    ...always,
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(html),
  });
  response.end(html);
}

export const sendProblem = (response: ServerResponse, told: Problem): void =>
  sendJson(response, told.status, told, 'application/problem+json');

/**
 * For a request that was not read to its end, and will not be. What still comes is thrown away for a moment: a connection that is
 * closed with bytes unread is reset, and the caller would never see why.
 */
export function sendLastProblem(request: IncomingMessage, response: ServerResponse, told: Problem): void {
  const text = JSON.stringify(told);
  response.writeHead(told.status, {
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

/** To one who asked for a WebSocket: there is no answer of Node's then. */
export function refuseUpgrade(socket: Duplex, told: Problem): void {
  const text = JSON.stringify(told);
  const headers = {
    ...always,
    connection: 'close',
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(text),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const answer = [`HTTP/1.1 ${told.status} ${STATUS_CODES[told.status] ?? ''}`, ...lines, '', text].join('\r\n');
  // on both sides: nothing else ends a connection that the HTTP server has given away
  socket.end(answer, () => socket.destroy());
}

const lingerMs = 1_000;

/** The whole of it, or the one range that was asked for. */
export async function sendContent(
  request: IncomingMessage,
  response: ServerResponse,
  type: string,
  content: Content,
): Promise<void> {
  // ranges are of what is sent, and HEAD sends nothing
  const range = request.method === 'HEAD' ? null : rangeOf(request.headers.range, content.bytes);
  if (range === 'none-such') {
    response.setHeader('content-range', `bytes */${content.bytes}`);
    sendProblem(response, problem(416, 'bad-range', `it has ${content.bytes} bytes`));
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
  // it has become shorter: the rest that was announced must not be waited for, nor the next answer taken for it
  if (left > 0) return void response.destroy();
  response.end();
  await finished(response).catch(() => undefined);
}

/** One range of bytes, or the last so many; several at once are answered with the whole. */
function rangeOf(header: string | undefined, bytes: number): { from: number; to: number } | 'none-such' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const to = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1);
  return from >= to ? 'none-such' : { from, to };
}

/** What a protocol of others answers, as it comes. It sees nothing that lets one in. */
export async function sendPassed(
  request: IncomingMessage,
  response: ServerResponse,
  pass: Passing,
  body: unknown,
): Promise<void> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string' && !['authorization', 'cookie'].includes(name)) headers.set(name, value);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const url = `http://localhost${request.url ?? '/'}`;
  const answered = await pass(new Request(url, { method: 'POST', headers, signal: gone.signal }), body);
  const type = answered.headers.get('content-type');
  response.writeHead(answered.status, { ...always, ...(type === null ? {} : { 'content-type': type }) });
  for await (const chunk of answered.body ?? []) if (!response.destroyed) response.write(chunk);
  response.end();
}
