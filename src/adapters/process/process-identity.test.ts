import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
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
  // A shell may collect its child before it becomes another program: the child ends only once the parent is a `cat`.
  const parent = spawn('/bin/sh', ['-c', 'cat <&3 & echo $!; exec cat'], { stdio: ['pipe', 'pipe', 'ignore', 'pipe'] });
  const [stdin, stdout, childInput] = [0, 1, 3].map((fd) => parent.stdio[fd]) as [Writable, Readable, Writable];
  try {
    stdout.setEncoding('utf8');
    const [pid] = (await once(stdout, 'data')) as [string];
    stdin.write('answered by cat');
    await once(stdout, 'data');
    const identity = identify(Number(pid));
    expect(isAlive(identity)).toBe(true);
    childInput.end();
    while (isAlive(identity)) await new Promise((done) => setTimeout(done, 1));
    expect(identify(Number(pid))).toEqual(identity);
  } finally {
    parent.kill('SIGKILL');
  }
});
