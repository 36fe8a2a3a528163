import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { closed, epochOf, nthSeq } from '../../../test/contract/ledger-support.ts';
import { failure } from '../../../test/support/findings.ts';
import { enteredBy } from '../../../test/support/server.ts';
import { hearBySocket, repository, type Said, socketOf, streaming } from '../../../test/support/streaming.ts';
import { memoryLedger } from '../../adapters/ledger/memory/index.ts';
import { tokenOf } from '../http/keys.ts';

type Server = Awaited<ReturnType<typeof streaming>>;

describe('a WebSocket is let in', () => {
  const mine = (port: number) => `http://127.0.0.1:${port}`;
  const origins: readonly (readonly [string, (port: number) => string | undefined, 'cookie' | 'token', number])[] = [
    ['our own, with a cookie', mine, 'cookie', 101],
    ['our own, with a token', mine, 'token', 101],
    ['none, with a token', () => undefined, 'token', 101],
    ['none, with a cookie', () => undefined, 'cookie', 403],
    ['null', () => 'null', 'cookie', 403],
    ['null, with a token', () => 'null', 'token', 403],
    ['empty', () => '', 'cookie', 403],
    ['another site', () => 'https://evil.example', 'cookie', 403],
    ['another site, with a token', () => 'https://evil.example', 'token', 403],
    ['another port', (port) => mine(port + 1), 'cookie', 403],
    ['no port', () => 'http://127.0.0.1', 'cookie', 403],
    ['https', (port) => `https://127.0.0.1:${port}`, 'cookie', 403],
    ['ws', (port) => `ws://127.0.0.1:${port}`, 'cookie', 403],
    ['a name that the server does not have', (port) => `http://tidegate.localhost:${port}`, 'cookie', 403],
    ['ours as the beginning of another', (port) => `${mine(port)}.evil.example`, 'cookie', 403],
    ['ours as a user', (port) => `${mine(port)}@evil.example`, 'cookie', 403],
    ['ours in a path', (port) => `http://evil.example/${mine(port)}`, 'cookie', 403],
    ['ours with a path', (port) => `${mine(port)}/`, 'cookie', 403],
    ['ours in upper case', (port) => mine(port).toUpperCase(), 'cookie', 403],
    ['two of them', (port) => `${mine(port)}, https://evil.example`, 'cookie', 403],
    ['the address in another form', (port) => `http://2130706433:${port}`, 'cookie', 403],
    ['a file', () => 'file://', 'cookie', 403],
    ['an extension', () => 'chrome-extension://abcdefghijklmnop', 'cookie', 403],
  ];
  test.each(origins)('by its origin: %s', async (_name, originOf, by, status) => {
    await using server = await streaming(memoryLedger());
    const origin = originOf(server.port);
    const shown = by === 'cookie' ? enteredBy(server.secret, 'read') : { authorization: `Bearer ${server.token}` };
    expect(await knock(server, { ...shown, ...(origin === undefined ? {} : { origin }) })).toMatchObject({ status });
  });

  const names: readonly (readonly [string, (server: Server) => readonly string[], number])[] = [
    ['a token among the protocols', ({ token }) => ['tidegate', `tidegate.token.${token}`], 101],
    ['a token of another secret', () => ['tidegate', `tidegate.token.${tokenOf(Buffer.alloc(32), 'read')}`], 401],
    ['no token', () => ['tidegate'], 401],
    ['an empty token', () => ['tidegate', 'tidegate.token.'], 401],
  ];
  test.each(names)('by %s, which is never said back', async (_name, protocolsOf, status) => {
    await using server = await streaming(memoryLedger());
    const answered = await knock(server, {}, protocolsOf(server));
    expect(answered).toEqual({ status, protocol: status === 101 ? 'tidegate' : null });
  });

  test('by the cookie of a link with its page key among the protocols', async () => {
    await using server = await streaming(memoryLedger());
    const { cookie, 'tidegate-page': key } = enteredBy(server.secret, 'read');
    const headers = { cookie, origin: mine(server.port) };
    expect(await knock(server, headers, ['tidegate', `tidegate.page.${key}`])).toEqual({
      status: 101,
      protocol: 'tidegate',
    });
    expect(await knock(server, headers, ['tidegate'])).toMatchObject({ status: 401 });
  });

  test('until the cookie is over', async () => {
    await using server = await streaming(memoryLedger());
    const headers = { ...enteredBy(server.secret, 'read', Date.now() + 700), origin: mine(server.port) };
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/v1/stream`, ['tidegate'], { headers });
    await once(socket, 'open');
    await once(socket, 'close');
    const begun = await fetch(`http://127.0.0.1:${server.port}/v1/repositories/${repository}/events/stream`, {
      headers: enteredBy(server.secret, 'read', Date.now() + 700),
    });
    expect(begun.status).toBe(200);
    await expect(begun.text()).rejects.toThrow('terminated');
  });

  test('at one path', async () => {
    await using server = await streaming(memoryLedger());
    for (const path of ['/', '/v1', '/v1/stream/', '/v1/stream?token=x', '/v1/repositories'])
      expect(await knock(server, { authorization: `Bearer ${server.token}` }, [], path)).toMatchObject({ status: 404 });
  });
});

describe('a client', () => {
  test('listens to several channels at once, leaves them, and can never publish', async () => {
    const ledger = memoryLedger();
    await using server = await streaming(ledger);
    const heard = hearer();
    const socket = await socketOf(server, heard.push);
    const epoch = await epochOf(ledger);
    await ledger.append('a-run1', 0, [{ type: 'run-branch-made', commit: 'c', tree: 't' } as never], epoch);
    for (const channel of ['global', 'run/a-run1', 'run/b-run2'])
      socket.say({ type: 'subscribe', repository, channel });
    await heard.until(({ type, channel }) => type === 'subscribed' && channel === 'run/b-run2');
    await ledger.append('a-run1', 1, [closed(0)], epoch);
    await heard.until(({ event, channel }) => event === 'wave.completed' && channel === 'run/a-run1');
    socket.say({ type: 'unsubscribe', repository, channel: 'global' });
    socket.say({ type: 'publish', channel: 'global', event: 'wave.completed', data: {} });
    socket.say({ type: 'ping' });
    await heard.until(({ type }) => type === 'pong');
    const told = heard.all.map(({ type, id, channel, reason }) => [type ?? id, channel ?? reason]);
    expect(told.toSorted()).toEqual(
      [
        ...[
          ['subscribed', 'global'],
          ['subscribed', 'run/a-run1'],
          ['subscribed', 'run/b-run2'],
        ],
        ...[
          [`${nthSeq(2)}`, 'global'],
          [`${nthSeq(2)}.1`, 'global'],
          [`${nthSeq(2)}`, 'run/a-run1'],
          [`${nthSeq(2)}.1`, 'run/a-run1'],
        ],
        ...[
          ['unsubscribed', 'global'],
          ['error', 'not-understood'],
          ['pong', undefined],
        ],
      ].toSorted(),
    );
    socket.cut();
  });

  const mistakes: readonly (readonly [string, object | string | Buffer, string])[] = [
    ['what is no JSON', 'hello', 'not-understood'],
    ['bytes', Buffer.from('{"type":"ping"}'), 'not-understood'],
    ['an unknown member', { type: 'ping', more: 1 }, 'not-understood'],
    ['a channel that is none', { type: 'subscribe', repository, channel: 'all' }, 'not-understood'],
    ['a cursor that is none', { type: 'subscribe', repository, after: 'x' }, 'not-understood'],
    ['a repository that is not there', { type: 'subscribe', repository: 'other' }, 'unknown-repository'],
    ['a cursor of the future', { type: 'subscribe', repository, after: '99' }, 'bad-cursor'],
    ['leaving what it does not hear', { type: 'unsubscribe', repository }, 'not-subscribed'],
  ];
  test.each(mistakes)('that says %s is told, and after five times left', async (_name, message, reason) => {
    await using server = await streaming(memoryLedger());
    const heard = hearer();
    const { client, over } = await socketOf(server, heard.push);
    const isText = typeof message === 'string' || Buffer.isBuffer(message);
    for (let times = 0; times < 5; times += 1) client.send(isText ? message : JSON.stringify(message));
    expect((await over)[0]).toBe(1008);
    expect(heard.all.map((said) => said['reason'])).toEqual(Array(5).fill(reason));
  });

  test('that says too much at once is left', async () => {
    await using server = await streaming(memoryLedger());
    const long = await socketOf(server);
    long.client.send('x'.repeat(5_000));
    expect((await long.over)[0]).toBe(1009);
    const many = await socketOf(server);
    for (let times = 0; times < 200; times += 1) many.say({ type: 'ping' });
    expect((await many.over)[0]).toBe(1008);
  });

  test('that gives no sign of life is left after two heartbeats; one that does stays', async () => {
    await using server = await streaming(memoryLedger(), { heartbeatMs: 40 });
    const heard = hearer();
    const alive = await socketOf(server, heard.push);
    const dead = await socketOf(server, undefined, { autoPong: false });
    expect((await dead.over)[0]).toBe(1006);
    await heard.until(({ type }) => type === 'heartbeat');
    expect(alive.client.readyState).toBe(WebSocket.OPEN);
    alive.cut();
  });
});

test('one who stops reading holds nobody up, costs a bounded amount of memory, is told, and resumes where it was', async () => {
  const ledger = memoryLedger();
  const epoch = await epochOf(ledger);
  await using server = await streaming(ledger, { highWater: 256 << 10, patienceMs: 300 });
  const why = 'x'.repeat(20_000);
  const [count, step, ids] = [1_000, 20, [] as string[]];
  const slow = hearer();
  const { client, over } = await socketOf(server, (said) => {
    if (said.id !== undefined) ids.push(said.id);
    slow.push(said);
  });
  client.send(JSON.stringify({ type: 'subscribe', repository, after: '0' }));
  await slow.until(({ type }) => type === 'subscribed');
  client.pause();
  const quick = hearer();
  const other = await hearBySocket(server, { repository, after: '0' }, quick.push);
  let most = 0;
  for (let at = 0; at < count; at += step) {
    const events = Array.from(
      { length: step },
      () => ({ type: 'round-abandoned', wave: 0, round: 1, because: failure(why) }) as const,
    );
    await ledger.append('run', at, events, epoch);
    await quick.until(({ id }) => id === `${nthSeq(at + step)}`);
    most = Math.max(most, server.mostWaiting());
  }
  expect(quick.all.map(({ id }) => Number(id))).toEqual(Array.from({ length: nthSeq(count) }, (_, at) => at + 1));
  // 20 MB went by; what waits is the mark, and at most one batch that was written below it
  expect(most).toBeGreaterThan(256 << 10);
  expect(most).toBeLessThan((256 << 10) + 100 * 21_000);
  client.resume();
  expect((await over)[0]).toBe(1013);
  const dropped = slow.all.at(-1);
  expect(dropped).toMatchObject({ type: 'dropped', repository, channel: 'global', why: 'slow', resume: ids.at(-1) });
  const rest = hearer();
  const again = await hearBySocket(server, { repository, after: String(dropped?.['resume']) }, rest.push);
  await rest.until(({ id }) => id === `${nthSeq(count)}`);
  expect([...ids, ...rest.all.map(({ id }) => id)]).toEqual(
    Array.from({ length: nthSeq(count) }, (_, at) => `${at + 1}`),
  );
  for (const { cut } of [other, again]) cut();
}, 30_000);

/** Knocks with exactly these headers and says how it was answered. */
async function knock(
  { port }: Server,
  headers: Readonly<Record<string, string>>,
  protocols: readonly string[] = [],
  path = '/v1/stream',
) {
  const client = new WebSocket(`ws://127.0.0.1:${port}${path}`, [...protocols], { headers });
  const answered = await Promise.race([
    once(client, 'open').then(() => ({ status: 101, protocol: client.protocol })),
    new Promise<{ readonly status: number; readonly protocol: null }>((resolve) =>
      client.once('unexpected-response', (_request, { statusCode = 0 }) =>
        resolve({ status: statusCode, protocol: null }),
      ),
    ),
  ]);
  client.on('error', () => undefined).terminate();
  return answered;
}

/** Keeps all that was heard, and waits for what is still to come. */
function hearer() {
  const all: Said[] = [];
  const waiting = new Set<() => void>();
  return {
    all,
    push: (said: Said): void => {
      all.push(said);
      for (const look of waiting) look();
    },
    until: (isMeant: (said: Said) => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!all.some(isMeant)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
