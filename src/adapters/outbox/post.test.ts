import { execFileSync } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answers, endless, type Manner, nobody, receiver, silent } from '../../../test/support/receiver.ts';
import { explain } from '../../domain/explain/explain.ts';
import { post } from './post.ts';

const whyOf = (answer: Awaited<ReturnType<typeof post>>): string => (answer.ok ? '' : explain(answer.error).detail);

/** Writes to the connection itself, over and over, until the other side has had enough. */
const over = (first: string, again: string): Manner => {
  return ({ socket }: ServerResponse) => {
    const timer = setInterval(() => socket?.write(again), 2);
    socket?.on('error', () => undefined).once('close', () => clearInterval(timer));
    socket?.write(first);
  };
};
const wide = `X-Wide: ${'a'.repeat(1_000)}\r\n`;
const dripping: Manner = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write('x'), 2);
  response.once('close', () => clearInterval(timer));
};

const request = { headers: {}, body: '{"secret":"words"}', timeoutMs: 300 };

describe('an endpoint that', () => {
  test.each<[string, Manner, boolean, string]>([
    [
      'has a header without end',
      over('HTTP/1.1 200 OK\r\n', wide),
      false,
      'cannot be reached (UND_ERR_HEADERS_OVERFLOW)',
    ],
    ['has hints without end', over('', 'HTTP/1.1 103 Early Hints\r\n\r\n'), false, 'no answer within 0.3 s'],
    ['speaks no HTTP', ({ socket }) => void socket?.end('SSH-2.0-OpenSSH\r\n'), false, 'cannot be reached'],
    ['closes at once', ({ socket }) => void socket?.destroy(), false, 'cannot be reached (UND_ERR_SOCKET)'],
    ['says nothing', silent, false, 'no answer within 0.3 s'],
    ['drips', dripping, true, ''],
    ['floods', endless, true, ''],
    [
      'leads to a file',
      answers(302, {}, { location: 'file:///etc/passwd' }),
      false,
      'answered 302; redirects are not followed',
    ],
    [
      'leads to a cloud’s own',
      answers(307, {}, { location: 'http://169.254.169.254/' }),
      false,
      'answered 307; redirects are not followed',
    ],
  ])('%s is done with in time, and nothing that it says is repeated', async (_, manner, isTaken, why) => {
    await using there = await receiver(manner);
    const began = performance.now();
    const answer = await post({ ...request, url: there.url, reads: false });
    expect([answer.ok, whyOf(answer)]).toEqual([isTaken, why]);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test.each<[string, Manner, string]>([
    ['drips', dripping, 'no answer within 0.3 s'],
    ['floods', endless, 'the answer does not end'],
  ])('%s is not read to its end', async (_, manner, why) => {
    await using there = await receiver(manner);
    expect(whyOf(await post({ ...request, url: there.url, reads: true }))).toBe(why);
  });

  test('is named by what nobody can resolve, or where nobody listens, cannot be reached', async () => {
    const unknown = await post({ ...request, url: 'https://nobody.invalid/hook', reads: false });
    expect(whyOf(unknown)).toMatch(/^cannot be reached \(E[A-Z_]+\)$|^no answer/);
    const gone = await post({ ...request, url: await nobody(), reads: false });
    expect(whyOf(gone)).toBe('cannot be reached (ECONNREFUSED)');
  });
});

test('a name that leads to a private address gets nothing before it has shown a certificate for that name', async () => {
  using directory = mkdtempDisposableSync('/tmp/tidegate-post-');
  const [cert, key] = [join(directory.path, 'cert.pem'), join(directory.path, 'key.pem')];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert, '-subj', '/CN=localhost'], { stdio: 'pipe' });
  let requests = 0;
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_, response) => {
    requests += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const answer = await post({ ...request, url: `https://localhost:${port}/hook`, reads: false });
  expect(whyOf(answer)).toBe('cannot be reached (DEPTH_ZERO_SELF_SIGNED_CERT)');
  const plain = await post({ ...request, url: `http://localhost:${port}/hook`, reads: false });
  expect(plain.ok).toBe(false);
  expect(requests).toBe(0);
  await new Promise((resolve) => server.close(resolve));
});
