import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { checkHistory } from '../support/checker.ts';
import { project, scripted } from '../support/project.ts';
import { bash, calling, done, write } from './conformance/scenes.ts';
import type { Script } from './model-server/script.ts';
import { modelServer } from './model-server/server.ts';
import { installed } from './support/installed.ts';

const { program } = installed('claude');
const notInstalled = program === null ? ', WHICH IS NOT INSTALLED' : '';

/** The handoff of a task is quoted in the prompt of the resolver, and so chooses the script of the model. */
const handoff = 'tidegate handoff done -m "did it [[script:resolve]]"';

async function resolved(given: {
  readonly plan: object;
  readonly files: Readonly<Record<string, string>>;
  readonly turns: Script['turns'];
}) {
  const server = await modelServer({ scripts: { resolve: { turns: given.turns } } });
  const here = await project({
    files: given.files,
    plan: { land: 'auto', limits: { attempts: 1 }, resolver: 'claude', ...given.plan },
    env: {
      PATH: `${dirname(program ?? '')}:${process.env['PATH'] ?? ''}`,
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'test-key',
    },
  });
  const { code, stdout, stderr } = await here.cli('run', 'plan.yaml', '--yes', '--json');
  expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
  expect(server.requests().filter(({ problem }) => problem !== null)).toEqual([]);
  const events = await here.events();
  expect(checkHistory(events)).toEqual([]);
  return {
    here,
    merged: events.flatMap(({ event }) =>
      event.type === 'merged' ? event.tasks.map(({ task, by }) => [task, by]) : [],
    ),
    async [Symbol.asyncDispose]() {
      await here[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test.skipIf(program === null)(`a conflict is resolved and landed by a real claude${notInstalled}`, async () => {
  await using ran = await resolved({
    files: { 'list.txt': 'first\nmiddle\n' },
    plan: {
      tasks: {
        left: scripted(`printf "left\\nmiddle\\n" > list.txt; ${handoff}`),
        right: scripted(`printf "right\\nmiddle\\n" > list.txt; ${handoff}`),
      },
    },
    turns: [
      calling(bash('cat list.txt; git show HEAD^1:list.txt HEAD^2:list.txt')),
      calling(write('list.txt', 'left\nright\nmiddle\n')),
      calling(bash('tidegate handoff done -m "kept both lines"')),
      done,
    ],
  });
  expect(ran.here.git('show', 'main:list.txt')).toBe('left\nright\nmiddle');
  expect(ran.merged).toEqual([
    ['left', undefined],
    ['right', 'resolve-right-1'],
  ]);
});

test.skipIf(program === null)(`a broken check is repaired and landed by a real claude${notInstalled}`, async () => {
  const named = { status: 'done', summary: 'mended', dropped: ['two.txt:1-2 the check forbids it'] };
  await using ran = await resolved({
    files: { 'one.txt': 'one\n' },
    plan: {
      checks: [{ name: 'test', run: '! grep -rn bad --include=*.txt .' }],
      tasks: {
        one: scripted(`echo more >> one.txt; ${handoff}`, { owns: ['one.txt'] }),
        two: scripted(`printf "good\\nbad\\n" > two.txt; ${handoff}`, { owns: ['two.txt'] }),
      },
    },
    turns: [
      calling(bash('cat two.txt')),
      calling(write('two.txt', 'good\nfine\n')),
      { calls: [{ tool: 'raw', name: 'mcp__tidegate__handoff', input: named }] },
      done,
    ],
  });
  expect(ran.here.git('show', 'main:two.txt')).toBe('good\nfine');
  expect(ran.merged).toEqual([
    ['one', undefined],
    ['two', 'resolve-two-1'],
  ]);
});
