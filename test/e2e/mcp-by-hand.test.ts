import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { program } from '../support/project.ts';

const root = mkdtempSync(join(tmpdir(), 'tidegate-mcp-'));
afterAll(() => rmSync(root, { recursive: true }));

/** `tidegate mcp` where there is no repository. */
function started() {
  const env = { PATH: process.env['PATH'], HOME: root, TIDEGATE_STATE_DIR: join(root, 'state') };
  const child = spawn(process.execPath, [program, 'mcp'], { cwd: root, env, stdio: 'pipe' });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let problems = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problems += text;
  });
  child.stdin.on('error', () => undefined);
  return {
    child,
    say: (text: string | Uint8Array) => child.stdin.write(text),
    hear: async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? 'null'),
    ended: async () => ({ code: (await once(child, 'close'))[0], problems }),
  };
}

const clientInfo = { name: 'test', version: '1' };
const hello = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
})}\n`;
const status = `${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'status', arguments: {} } })}\n`;

test('where there is no repository each tool says so; what is no message is left out', async () => {
  const { child, say, hear, ended } = started();
  say(Buffer.concat([Buffer.from('garbage\n'), Buffer.of(0xff, 0xfe, 0x0a), Buffer.from(hello)]));
  expect(await hear()).toMatchObject({ id: 1, result: { serverInfo: { name: 'tidegate' } } });
  say(status);
  expect(await hear()).toMatchObject({ id: 2, result: { isError: true } });
  child.stdin.end();
  expect((await ended()).code).toBe(0);
});

test('a line of more than 10 MB ends it with a message and exit 1', async () => {
  const { say, ended } = started();
  say(`{"x":"${'x'.repeat(11 << 20)}"}\n`);
  const { code, problems } = await ended();
  expect([code, problems.trim().split('\n').length]).toEqual([1, 1]);
  expect(problems).toMatch(/^tidegate mcp: .*buffer/i);
});

test('an assistant that does not listen any more ends it', async () => {
  const { child, say, hear, ended } = started();
  say(hello);
  await hear();
  child.stdout.destroy();
  for (let id = 2; id < 9; id += 1) say(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`);
  expect((await ended()).code).toBe(1);
});

test('a person at a terminal is told what it is for', async () => {
  const command = `${process.execPath} ${program} mcp`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  expect((await once(child, 'close'))[0]).toBe(2);
  expect(shown.trim()).toBe(
    'tidegate: mcp: your assistant starts this command; docs/how-to/mcp.md shows how to add it',
  );
});
