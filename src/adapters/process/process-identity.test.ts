import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { identify, isAlive } from './process-identity.ts';

test('a process is alive until it ends, and never mistaken for one that has its pid', async () => {
  const child = spawn('/bin/sleep', ['600']);
  await once(child, 'spawn');
  const identity = identify(child.pid);
  expect(isAlive(identity)).toBe(true);
  expect(isAlive({ ...identity, startTime: '1' })).toBe(false);
  expect(isAlive({ ...identity, bootId: 'another-boot' })).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isAlive(identity)).toBe(false);
});

test('a zombie runs nothing and is not alive', async () => {
  const child = spawn('/bin/sh', ['-c', 'sleep 0 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [text] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const identity = identify(Number(text));
  while (isAlive(identity)) await new Promise((done) => setTimeout(done, 1));
  expect(identify(Number(text))).toEqual(identity);
  child.kill('SIGKILL');
});
