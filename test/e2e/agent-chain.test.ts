import { expect, test } from 'vitest';
import { foldRun } from '../../src/domain/run.ts';
import { checkHistory } from '../support/checker.ts';
import { gitFacts } from '../support/kill.ts';
import { handoff, project } from '../support/project.ts';

const brief = { do: 'Write a.txt. Acceptance: it is there.', owns: ['a.txt'] };
// A machine on which no agent is installed.
const env = { PATH: '/usr/bin:/bin' };

test('an agent that is not installed is passed over for the next of the chain, at no cost', async () => {
  const command = ['/bin/sh', '-c', `echo a > a.txt; ${handoff}`];
  await using p = await project({ plan: { tasks: { one: { ...brief, agent: ['codex', 'command'], command } } }, env });
  const ran = await p.cli('run', 'plan.yaml', '--yes', '--land', '--json');
  expect(ran.code).toBe(0);
  expect(p.git('show', 'main:a.txt')).toBe('a');
  const events = await p.events();
  const tried = events.flatMap(({ event }) => (event.type === 'attempt-intended' ? [event.agent ?? 'command'] : []));
  expect(tried).toEqual(['codex', 'command']);
  expect(checkHistory(events, { git: gitFacts(p) })).toEqual([]);
});

test('when none of the chain is there the person is told what is missing, and nothing is charged', async () => {
  await using p = await project({ plan: { tasks: { one: { ...brief, agent: ['codex', 'claude'] } } }, env });
  const ran = await p.cli('run', 'plan.yaml', '--yes');
  expect([ran.code, ran.stdout]).toEqual([43, expect.stringContaining('the program claude is not on the PATH')]);
  const state = foldRun((await p.events()).filter(({ stream }) => stream !== 'repo'));
  expect(state?.tasks).toMatchObject({ one: { charged: 0, progress: { status: 'waiting' } } });
});
