import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { openClientChannel } from './client-channel.ts';

test('what no program of ours could go through is not understood, and the channel goes on', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-channel-'));
  const path = join(directory, 's');
  const kept: unknown[] = [];
  await using channel = await openClientChannel(
    path,
    { nonce: 'n' },
    {
      pipes: { mkfifo: '/usr/bin/mkfifo', owner: process.getuid?.() ?? 0 },
      keep: (handoff) => void kept.push(handoff),
      hook: (payload) => ({ stdout: JSON.stringify(payload), exit: 0 }),
      ask: () => ({ ok: true, granted: false }),
      scope: () => null,
      post: () => ({ ok: true, answer: null }),
      act: () => ({ ok: true, answer: null }),
      inbox: (record) => record ?? 'nothing for you yet',
    },
  );
  const socket = connect(path);
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const answer = async (line: string): Promise<unknown> => {
    socket.write(`${line}\n`);
    return JSON.parse((await lines.next()).value ?? 'null');
  };
  const deep = '['.repeat(50_000) + ']'.repeat(50_000);
  for (const line of [`{"do":"handoff","handoff":{"files":${deep}}}`, `{"do":"hook","payload":${deep}}`, deep, 'x'])
    expect(await answer(line)).toEqual({ ok: false, why: 'not understood' });
  expect(await answer('{"do":"handoff","handoff":{"status":"done","summary":"s"}}')).toEqual({ ok: true });
  expect(await answer('{"do":"inbox"}')).toEqual({ ok: true, mail: 'nothing for you yet' });
  expect(await answer('{"do":"mcp"}')).toEqual({ ok: true, line: 'm1' });
  expect([kept.length, channel.handoff()?.summary]).toEqual([1, 's']);
  socket.destroy();
  await once(socket, 'close');
  rmSync(directory, { recursive: true });
});
