import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clientScript } from '../job/runtime-directory.ts';
import type { ChannelAnswer } from './client-channel.ts';
import { type McpLines, openMcpLines } from './mcp-lines.ts';
import type { AskChannel } from './mcp-tools.ts';

let directory: string;
let lines: McpLines;
const open = (ask: AskChannel = () => ({ ok: true })): void => {
  lines = openMcpLines({ directory, mkfifo: '/usr/bin/mkfifo', owner: process.getuid?.() ?? 0 }, ask);
};
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-lines-'));
});
afterEach(() => {
  lines[Symbol.dispose]();
  rmSync(directory, { recursive: true });
});

/** As an agent starts it, with files of its own: a shell that is slow to start would read those of the next one. */
function started() {
  const line = lines.open() ?? '';
  const [script, client] = [join(directory, `${line}-tidegate`), join(directory, `${line}-client`)];
  writeFileSync(client, `#!/bin/sh\necho '${join(directory, line)}'\n`, { mode: 0o755 });
  writeFileSync(script, clientScript(`'${client}'`), { mode: 0o755 });
  const child = spawn(script, ['mcp'], { stdio: ['pipe', 'pipe', 'inherit'] });
  let heard: NodeJS.AsyncIterator<string> | undefined;
  return {
    child,
    say: (text: string | Uint8Array) => child.stdin.write(text),
    hear: async (): Promise<unknown> => {
      heard ??= createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return JSON.parse((await heard.next()).value ?? 'null');
    },
  };
}

const ping = (id: number): string => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`;
const pong = (id: number): object => ({ jsonrpc: '2.0', id, result: {} });
const exitOf = async (child: ChildProcess): Promise<unknown> => (await once(child, 'close'))[0];

test('a line answers until it is closed, and leaves nothing', async () => {
  open();
  const { child, say, hear } = started();
  say(ping(1));
  expect(await hear()).toEqual(pong(1));
  say(`\n${ping(2)}${ping(3)}`);
  expect([await hear(), await hear()]).toEqual([pong(2), pong(3)]);
  child.stdin.end();
  expect(await exitOf(child)).toBe(0);
  expect(readdirSync(directory)).toEqual(['m1-client', 'm1-tidegate']);
});

test('what was asked before the end is answered after it', async () => {
  const answer = Promise.withResolvers<ChannelAnswer>();
  open(() => answer.promise);
  const { child, say, hear } = started();
  const params = { name: 'ask', arguments: { question: 'which?', wait: 60 } };
  say(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
  child.stdin.end();
  await once(child.stdin, 'close');
  answer.resolve({ ok: true, answer: 'that' });
  expect(await hear()).toMatchObject({ id: 1, result: { content: [{ text: 'answered: that' }] } });
  expect(await exitOf(child)).toBe(0);
});

test('garbage, bytes that are no text and a line of 10 MB are errors, and the line goes on', async () => {
  open();
  const { say, hear } = started();
  say('garbage\n');
  expect(await hear()).toMatchObject({ id: null, error: { code: -32700 } });
  say(
    Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","x":"'),
      Buffer.of(0xff, 0xfe),
      Buffer.from('"}\n'),
    ]),
  );
  expect(await hear()).toMatchObject({ id: null, error: { code: -32700 } });
  say(`{"x":"${'x'.repeat(10 << 20)}"}\n${ping(2)}`);
  expect(await hear()).toMatchObject({ id: null, error: { code: -32600 } });
  expect(await hear()).toEqual(pong(2));
});

test('who asks and does not listen is not read any further, and hears all of it in the end', async () => {
  let asked = 0;
  open(() => {
    asked += 1;
    return { ok: true, mail: 'x'.repeat(100_000) };
  });
  const { say, hear } = started();
  const params = { name: 'inbox', more: 'x'.repeat(60_000) };
  const count = 100;
  for (let id = 0; id < count; id += 1)
    say(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
  const other = started();
  for (let id = 0; id < 200; id += 1) {
    other.say(ping(id));
    await other.hear();
  }
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThan(count / 2);
  for (let id = 0; id < count; id += 1) expect(await hear()).toMatchObject({ id });
});

test('two at once do not hear each other, and more than a few are not opened', async () => {
  open();
  const one = started();
  one.say(ping(1));
  expect(await one.hear()).toEqual(pong(1));
  const other = started();
  other.say(ping(2));
  expect(await other.hear()).toEqual(pong(2));
  one.say(ping(3));
  expect(await one.hear()).toEqual(pong(3));
  const more = Array.from({ length: 10 }, () => lines.open());
  expect(more.filter((name) => name !== null)).toHaveLength(6);
});

test('is refused where no pipe can be made, and leaves nothing', () => {
  lines = openMcpLines({ directory, mkfifo: '/bin/false', owner: 0 }, () => ({ ok: true }));
  expect(lines.open()).toBeNull();
  expect(readdirSync(directory)).toEqual([]);
});

test('when the supervisor ends, what answers ends too', async () => {
  open();
  const { child, say, hear } = started();
  say(ping(1));
  await hear();
  lines[Symbol.dispose]();
  expect(await hear()).toBeNull();
  child.stdin.end();
  await exitOf(child);
});
