import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answers, endless, forum, type Manner, nobody, receiver, silent } from '../../../test/support/receiver.ts';
import type { ThreadPost } from '../../domain/board/thread-posts.ts';
import { explain } from '../../domain/explain/explain.ts';
import type { ThreadEvidence } from '../../domain/gates/evidence.ts';
import type { ThreadOrder } from '../../ports/outbox.ts';
import { webThreads } from './threads.ts';

/** With what is said of the ways that failed. */
const told = (bound: ThreadEvidence) => ({
  ...bound,
  failed: bound.failed?.map(({ way, because }) => ({ way, why: explain(because).detail })),
});

const token = 'forum-token-7f3a';
const places = (intake: string | null, threads: string | null, tokenFrom: string | null = null) => ({
  intake,
  threads,
  tokenFrom,
});
const order = (at: ThreadOrder['places']): ThreadOrder => ({
  run: 'demo-ab12',
  wave: 0,
  name: 'explore',
  tasks: ['one', 'two'],
  key: 'tidegate:demo-ab12:wave-0:abc',
  places: at,
});
const postOf = (id: string, at: ThreadOrder['places'], kind: ThreadPost['kind'] = 'started'): ThreadPost => ({
  item: `post ${kind}`,
  lasting: true,
  run: 'demo-ab12',
  wave: 0,
  kind,
  text: `wave 0 ${kind}`,
  thread: { board: 'threads', id, failed: [] },
  places: at,
});

function scene(
  options: { readonly waits?: readonly number[]; readonly graceMs?: number; readonly timeoutMs?: number } = {},
) {
  const directory = mkdtempDisposableSync('/tmp/tidegate-threads-');
  const secrets: Record<string, string> = { FORUM_TOKEN: token, BROKEN: 'two\nlines' };
  const threads = webThreads({
    stateDirectory: directory.path,
    secret: (name) => secrets[name] ?? null,
    // A busy machine must not turn an answer into silence.
    timeoutMs: 10_000,
    waits: [10, 20],
    ...options,
  });
  const read = (name: string): string => readFileSync(join(directory.path, name), 'utf8');
  return { threads, path: directory.path, read, [Symbol.dispose]: () => directory.remove() };
}

describe('the thread of a wave', () => {
  test('is opened at the intake, with the token and the key', async () => {
    using at = scene();
    await using there = await receiver(forum());
    const bound = await at.threads.bind(order(places(`${there.url}/intake`, `${there.url}/threads`, 'FORUM_TOKEN')));
    expect(bound).toEqual({ board: 'intake', id: 't-1', failed: [] });
    expect(there.received.map(({ path }) => path)).toEqual(['/intake']);
    expect(there.received[0]?.headers).toMatchObject({
      authorization: `Bearer ${token}`,
      'idempotency-key': 'tidegate:demo-ab12:wave-0:abc',
      'content-type': 'application/json',
    });
    expect(JSON.parse(there.received[0]?.body ?? '')).toEqual({
      schema: 'tidegate.thread/1',
      run: 'demo-ab12',
      wave: 0,
      name: 'explore',
      tasks: ['one', 'two'],
    });
  });

  const elsewhere = 'http://127.0.0.1:9/elsewhere';
  test.each<[string, Manner, string]>([
    ['answers 500', answers(500, { id: 'no' }), 'answered 500'],
    ['has no id', answers(200, { thread: 1 }), 'the answer has no id'],
    ['has an id that climbs', answers(200, { id: '..' }), 'the answer has no id'],
    ['is not JSON', (response) => void response.end('fine'), 'the answer has no id'],
    ['leads elsewhere', answers(302, {}, { location: elsewhere }), 'answered 302; redirects are not followed'],
    ['does not end', endless, 'the answer does not end'],
    ['never comes', silent, 'no answer within 1 s'],
    ['breaks off', (response) => void response.destroy(), 'cannot be reached (UND_ERR_SOCKET)'],
  ])('is opened at threads when the answer of the intake %s', async (_, manner, why) => {
    using at = scene(manner === silent ? { timeoutMs: 1_000 } : {});
    await using there = await receiver({ '/intake': manner, '/threads': answers(201, { id: 7 }) });
    const bound = await at.threads.bind(order(places(`${there.url}/intake`, `${there.url}/threads`)));
    expect(told(bound)).toEqual({ board: 'threads', id: '7', failed: [{ way: 'intake', why }] });
    expect(there.received.map(({ path }) => path)).toEqual(['/intake', '/threads']);
  });

  test('is a log in the state directory when nobody answers', async () => {
    using at = scene();
    const gone = await nobody();
    const why = 'cannot be reached (ECONNREFUSED)';
    expect(told(await at.threads.bind(order(places(`${gone}/intake`, `${gone}/threads`))))).toEqual({
      board: 'log',
      id: 'runs/demo-ab12/wave-0.log',
      failed: [
        { way: 'intake', why },
        { way: 'threads', why },
      ],
    });
    expect(at.read('runs/demo-ab12/wave-0.log')).toMatch(/^\S+Z thread of wave 1 \(explore\) of demo-ab12\n$/);
  });

  test('is the built-in board when not even a log can be written', async () => {
    using at = scene();
    writeFileSync(join(at.path, 'runs'), '');
    expect(told(await at.threads.bind(order(places(null, null))))).toEqual({
      board: 'builtin',
      id: 'demo-ab12/wave-0',
      failed: [{ way: 'log', why: expect.stringMatching(/^cannot be written \(E[A-Z]+\)$/) }],
    });
  });

  test.each([
    ['MISSING', 'MISSING is not set'],
    ['BROKEN', 'BROKEN is not a valid token'],
  ])('is not asked for without the token that was to be sent: %s', async (variable, why) => {
    using at = scene();
    await using there = await receiver(forum());
    const bound = await at.threads.bind(order(places(null, `${there.url}/threads`, variable)));
    expect(told(bound)).toMatchObject({ board: 'log', failed: [{ way: 'threads', why }] });
    expect(there.received).toEqual([]);
  });

  test('is never asked for over the network in the clear', async () => {
    using at = scene();
    const bound = await at.threads.bind(
      order(places('http://forum.example/intake', 'http://user:pw@127.0.0.1/threads')),
    );
    expect(told(bound)).toMatchObject({
      board: 'log',
      failed: [{ why: 'http is allowed for this machine only; use https' }, { why: 'it contains a password' }],
    });
  });
});

describe('posts to a thread', () => {
  test('come in order, are tried again, and are in the log as well', async () => {
    using at = scene();
    const flaky: Manner = (response, received, count) => answers(count < 3 ? 503 : 201, {})(response, received, count);
    await using there = await receiver({ '/threads/a%2Fb/posts': flaky });
    const to = places(null, `${there.url}/threads/`, 'FORUM_TOKEN');
    await at.threads.send(postOf('a/b', to, 'started'));
    await at.threads.send(postOf('a/b', to, 'closed'));
    await at.threads.settle();
    const kinds = there.received.map(({ body }) => (JSON.parse(body) as { kind: string }).kind);
    expect(kinds).toEqual(['started', 'started', 'started', 'closed']);
    const keys = there.received.map(({ headers }) => headers['idempotency-key']);
    expect([new Set(keys.slice(0, 3)).size, new Set(keys).size]).toEqual([1, 2]);
    expect(at.read('runs/demo-ab12/wave-0.log').match(/wave 0 \w+/g)).toEqual(['wave 0 started', 'wave 0 closed']);
  });

  test('are given up in the end, which is kept as a line without any secret', async () => {
    using at = scene();
    await using there = await receiver(answers(500));
    await at.threads.send(postOf('x', places(null, `${there.url}/threads`, 'FORUM_TOKEN')));
    await at.threads.settle();
    expect(there.received.length).toBe(3);
    expect(at.read('notices.log')).toBe('thread of wave 1 of demo-ab12, started: given up after 3: answered 500\n');
  });

  test('do not keep whoever stops waiting for long', async () => {
    using at = scene({ waits: [60_000], graceMs: 50 });
    await using there = await receiver(answers(500));
    await at.threads.send(postOf('x', places(null, `${there.url}/threads`)));
    await there.until(1);
    await at.threads.settle();
    expect(at.read('notices.log')).toContain('given up after 1, at the end: answered 500');
  });

  test('of what was told before are remembered', () => {
    using at = scene();
    at.threads.remember(['a']);
    expect(at.threads.sent()).toEqual(['a']);
  });
});
