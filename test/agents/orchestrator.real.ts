import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { recordsOf } from '../../src/domain/board/board.ts';
import { foldRun } from '../../src/domain/run/run.ts';
import { checkHistory } from '../support/checker.ts';
import { handoff, project, scripted } from '../support/project.ts';
import { bash, calling, done } from './conformance/scenes.ts';
import { modelServer } from './model-server/server.ts';
import { installed } from './support/installed.ts';

const { program } = installed('claude');
const notInstalled = program === null ? ', WHICH IS NOT INSTALLED' : '';
const hears = (text: string): string => `until tidegate inbox | grep -q '${text}'; do sleep 0.1; done`;

test.skipIf(program === null)(`a real claude guides a task, by the command and by MCP${notInstalled}`, async () => {
  const guidance = { text: 'metres everywhere', to: 'b', references: ['record:1'] };
  const turns = [
    calling(bash(hears('which unit'))),
    { calls: [{ tool: 'raw', name: 'mcp__tidegate__inbox', input: {} }] } as const,
    { calls: [{ tool: 'raw', name: 'mcp__tidegate__post', input: guidance }] } as const,
    calling(bash('tidegate handoff done -m "I am through"; tidegate resolve 1 -m "settled"; ls -A')),
    calling(bash(`tidegate post orchestrator-guidance -m 'two decimals'`)),
    done,
  ];
  await using server = await modelServer({ scripts: { guide: { turns } } });
  const a = scripted(`tidegate post -m 'which unit?'; echo a > a.txt; ${handoff}`, { owns: ['a.txt'] });
  const b = scripted(`${hears('metres everywhere')}; ${hears('two decimals')}; echo metres > b.txt; ${handoff}`, {
    owns: ['b.txt'],
  });
  await using here = await project({
    plan: { land: 'auto', orchestrator: { agent: 'claude', do: 'Watch the units. [[script:guide]]' }, tasks: { a, b } },
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
  const run = events.find(({ stream }) => stream !== 'repo')?.stream;
  const state = foldRun(events.filter(({ stream }) => stream === run));
  expect(state === null ? [] : recordsOf(state).map(({ kind, target, text }) => [kind, target, text])).toEqual([
    ['note', 'all', 'which unit?'],
    ['orchestrator-guidance', 'b', 'metres everywhere'],
    ['orchestrator-guidance', 'all', 'two decimals'],
  ]);
  const refused = events.flatMap(({ event }) =>
    event.type === 'orchestrator-noted' && event.note.note === 'denied' ? [event.note.tool] : [],
  );
  expect(refused).toEqual(['tidegate handoff', 'tidegate record']);
  expect(state?.orchestrator?.launches).toBe(1);
  expect(here.git('show', 'main:b.txt')).toBe('metres');
});
