import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Content } from '../../ports/repository-handle.ts';
import { sendContent } from './reply.ts';

const text = '0123456789';
const content: Content = {
  bytes: text.length,
  async *read(from, to) {
    for (let at = from; at < to; at += 3) yield Buffer.from(text.slice(at, Math.min(at + 3, to)));
  },
};

type Got = {
  readonly status: number;
  readonly body: string;
  readonly range: string | undefined;
  readonly length: string;
};

/** One request to a server that answers with this content. */
async function got(range: string | null, { method = 'GET', what = content } = {}): Promise<Got> {
  const server = createServer((asked, response) => void sendContent(asked, response, 'text/plain', what));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  // a connection that would go on with the next request
  const agent = new Agent({ keepAlive: true });
  try {
    return await new Promise((resolve, reject) => {
      const headers = range === null ? {} : { range };
      request({ host: '127.0.0.1', port, method, headers, agent }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk;
        });
        response.once('error', reject);
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body,
            range: response.headers['content-range'],
            length: response.headers['content-length'] ?? '',
          }),
        );
      })
        .once('error', reject)
        .end();
    });
  } finally {
    agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const whole = { status: 200, body: text, range: undefined, length: '10' };
const part = (from: number, to: number) => ({
  status: 206,
  body: text.slice(from, to),
  range: `bytes ${from}-${to - 1}/10`,
  length: `${to - from}`,
});

describe('a range', () => {
  test.each([
    ['bytes=0-3', part(0, 4)],
    ['bytes=4-4', part(4, 5)],
    ['bytes=7-', part(7, 10)],
    ['bytes=-2', part(8, 10)],
    ['bytes=-99', part(0, 10)],
    ['bytes=8-99', part(8, 10)],
    // not one range of bytes: the whole of it
    ['bytes=-', whole],
    ['bytes=0-1,3-4', whole],
    ['lines=0-1', whole],
    ['bytes=a-b', whole],
    ['bytes=0-1 ', part(0, 2)],
    ['', whole],
  ])('%j', async (range, expected) => {
    expect(await got(range)).toEqual(expected);
  });

  test.each(['bytes=10-', 'bytes=10-12', 'bytes=5-4', 'bytes=-0', 'bytes=999999999999999-'])(
    '%s is none of it',
    async (range) => {
      const { status, range: of, body } = await got(range);
      expect([status, of, JSON.parse(body).type]).toEqual([416, 'bytes */10', 'tidegate:bad-range']);
    },
  );

  test('of nothing is none', async () => {
    const empty = { ...content, bytes: 0 };
    expect(await got('bytes=-5', { what: empty })).toMatchObject({ status: 416 });
    expect(await got(null, { what: empty })).toMatchObject({ status: 200, body: '', length: '0' });
  });
});

test('HEAD says how long it is and reads nothing, whatever range is asked for', async () => {
  const unread: Content = {
    bytes: 10,
    read() {
      throw new Error('read');
    },
  };
  expect(await got('bytes=2-3', { method: 'HEAD', what: unread })).toEqual({ ...whole, body: '' });
});

test('what became shorter meanwhile is cut off, not waited for', async () => {
  await expect(got(null, { what: { ...content, bytes: 20 } })).rejects.toMatchObject({ code: 'ECONNRESET' });
});
