import { Agent, request } from 'node:http';
import { quantile } from './statistics.ts';

export type Asking = {
  readonly port: number;
  readonly method: 'GET' | 'PATCH' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the so-and-so-many-th request. */
  body?(index: number): object;
};
export type Load = { readonly perSecond: number; readonly p50: number; readonly p95: number };

/** So many requests over so many kept-alive connections, each with one request under way. Anything but 2xx is an error. */
export async function load(
  asking: Asking,
  { requests, connections }: { requests: number; connections: number },
): Promise<Load> {
  using agent = disposable(new Agent({ keepAlive: true, maxSockets: connections }));
  const times: number[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < requests) {
      const index = next;
      next += 1;
      const began = performance.now();
      await one(agent.value, asking, index);
      times.push(performance.now() - began);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: connections }, caller));
  const seconds = (performance.now() - began) / 1_000;
  return { perSecond: requests / seconds, p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
}

function one(agent: Agent, { port, method, path, headers = {}, body }: Asking, index: number): Promise<string> {
  const text = body === undefined ? null : JSON.stringify(body(index));
  const content =
    text === null ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, agent, headers: { ...headers, ...content } },
      (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          answer += chunk;
        });
        response.once('end', () => {
          if (Math.floor((response.statusCode ?? 0) / 100) === 2) resolve(answer);
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`));
        });
      },
    );
    sent.once('error', reject);
    sent.end(text ?? undefined);
  });
}

/** The answer to one request. */
export async function answerOf<T>(asking: Asking): Promise<T> {
  using agent = disposable(new Agent());
  return JSON.parse(await one(agent.value, asking, 0)) as T;
}

const disposable = (value: Agent) => ({ value, [Symbol.dispose]: () => value.destroy() });
