import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
};

/** Answers one request; by default 200 with an empty object. */
export type Manner = (response: ServerResponse, received: Received, count: number) => void;

export const answers =
  (status: number, body: object = {}, headers: Record<string, string> = {}): Manner =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Takes the request and never says a word. */
export const silent: Manner = () => undefined;

/** Begins an answer that has no end. */
export const endless: Manner = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = (): void => {
    while (!response.destroyed && response.write('x'.repeat(16_384)));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
};

/** A real HTTP server on the loopback that keeps what it gets. */
export async function receiver(manner: Manner | Readonly<Record<string, Manner>> = answers(200)) {
  const received: Received[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const path = request.url ?? '';
    const body = Buffer.concat(parts).toString('utf8');
    const one = { path, headers: request.headers, body, at: performance.now() };
    received.push(one);
    for (const waiter of waiting.filter(({ count }) => count <= received.length)) waiter.resolve();
    const how = typeof manner === 'function' ? manner : (manner[path] ?? answers(404));
    how(response, one, received.filter((other) => other.path === path).length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    received,
    /** Resolves when so many requests have come. */
    async until(count: number): Promise<void> {
      if (received.length >= count) return;
      await new Promise<void>((resolve) => waiting.push({ count, resolve }));
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An address where nobody listens. */
export async function nobody(): Promise<string> {
  await using gone = await receiver();
  return gone.url;
}

/** A forum that gives the same thread for the same key, as ours are to. */
export function forum(): Manner & { readonly threads: Map<string, string> } {
  const threads = new Map<string, string>();
  const manner: Manner = (response, received, count) => {
    const key = String(received.headers['idempotency-key']);
    const id = threads.get(key) ?? `t-${threads.size + 1}`;
    if (!received.path.endsWith('/posts')) threads.set(key, id);
    answers(201, { id })(response, received, count);
  };
  return Object.assign(manner, { threads });
}
