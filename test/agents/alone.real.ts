import { existsSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { modelServer } from './model-server/server.ts';
import { agentRoom } from './support/agent-room.ts';
import { cases } from './support/cases.ts';
import { agentNames, installed } from './support/installed.ts';
import { shapeOf } from './support/shape.ts';

// The ground under the executors: each real program, by itself, does what the scripted model says.

test('there is no way out of this network namespace', () => {
  expect(Object.keys(networkInterfaces())).toEqual(['lo']);
});

const here = agentNames.filter((name) => installed(name).program !== null);

test(`${here.length} of ${agentNames.length} agents are installed`, ({ skip }) => {
  const missing = agentNames.filter((name) => !here.includes(name));
  skip(missing.length > 0, `NOT INSTALLED: ${missing.join(', ')}`);
});

describe.each(agentNames)('%s', (agent) => {
  describe.skipIf(!here.includes(agent))('by itself', () => {
    test('writes, runs, edits and reads by its own tools, and ends', async () => {
      await using scene = await staged('normal');
      const ended = await scene.run();

      expect(ended).toMatchObject({ code: 0, signal: null });
      expect(scene.read('src/hello.txt')).toBe('hello there\n');
      expect(scene.read('ran.txt')).toBe('ran\n');
      expect(scene.turns()).toEqual(['0', '1', '2', '3', '4']);
      expect(shapeOf(agent, ended.stdout)).toEqual(shapeOf(agent, transcript('normal')));
    });

    test('waits out a rate limit and goes on', async () => {
      await using scene = await staged('rate-limited');
      const ended = await scene.run();

      expect(ended).toMatchObject({ code: 0, signal: null });
      expect(scene.read('src/hello.txt')).toBe('hello\n');
      expect(scene.turns()).toEqual(['0', '1', '1 again']);
    });

    test('is refused what is out of scope, tells the model why, and goes on', async () => {
      await using scene = await staged('denied');
      const ended = await scene.run();

      expect(ended).toMatchObject({ code: 0, signal: null });
      expect(existsSync(join(scene.room.work, 'forbidden'))).toBe(false);
      expect(scene.read('src/hello.txt')).toBe('hello\n');
      expect(shapeOf(agent, ended.stdout)).toEqual(shapeOf(agent, transcript('denied')));
    });
  });

  async function staged(name: string) {
    const scene = cases[name];
    if (scene === undefined) throw new Error(`no case ${name}`);
    const stack = new AsyncDisposableStack();
    const server = stack.use(await modelServer({ scripts: { [name]: scene } }));
    const room = stack.use(agentRoom(agent));
    return {
      room,
      run: () => room.start({ prompt: `[[script:${name}]] Do the task.`, url: server.urlOf(name), ...scene.ask }).ended,
      read: (path: string) => readFileSync(join(room.work, path), 'utf8'),
      turns: () =>
        server
          .requests(name)
          .filter(({ side }) => !side)
          .map(({ turn, attempt }) => `${turn}${attempt > 0 ? ' again' : ''}`),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  }

  const transcript = (name: string) =>
    readFileSync(join(import.meta.dirname, 'transcripts', agent, `${name}.jsonl`), 'utf8');
});
