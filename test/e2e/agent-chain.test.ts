import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { foldRun } from '../../src/domain/run/run.ts';
import { checkHistory } from '../support/checker.ts';
import { gitFacts } from '../support/kill.ts';
import { ended, handoff, project } from '../support/project.ts';

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

test('when none of the chain is there any more the person is told what is missing, and nothing is charged', async () => {
  await using p = await project({ plan: { tasks: { one: { ...brief, agent: ['codex', 'claude'] } } }, env });
  const there = join(p.root, 'bin');
  mkdirSync(there);
  writeFileSync(join(there, 'codex'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const loggedIn = { PATH: `${there}:/usr/bin:/bin`, CODEX_API_KEY: 'sk-not-a-real-key-of-anyone' };
  const asked = await ended(p.start(['run', 'plan.yaml', '--json'], loggedIn));
  const { run } = JSON.parse(asked.stdout) as { readonly run: string };
  expect((await p.cli('approve', run, '--json')).code).toBe(0);
  const ran = await p.cli('resume', run);
  expect([ran.code, ran.stdout]).toEqual([43, expect.stringContaining('the program claude is not on the PATH')]);
  const state = foldRun((await p.events()).filter(({ stream }) => stream !== 'repo'));
  expect(state?.tasks).toMatchObject({ one: { charged: 0, progress: { status: 'waiting' } } });
});

test('an agent that nobody has logged in is not launched: the next of the chain works, or the person is told what to type', async () => {
  const tools = mkdtempSync(join(tmpdir(), 'tidegate-tools-'));
  try {
    mkdirSync(join(tools, 'bin'));
    for (const name of ['claude', 'codex'])
      writeFileSync(join(tools, 'bin', name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const command = ['/bin/sh', '-c', `echo a > a.txt; ${handoff}`];
    const chains = { one: ['claude', 'command'], two: ['claude', 'codex'] };
    const tasks = {
      one: { ...brief, agent: chains.one, command },
      two: { ...brief, owns: ['b.txt'], agent: chains.two },
    };
    const home = { HOME: tools, PATH: `${tools}/bin:/usr/bin:/bin` };
    await using p = await project({ plan: { tasks }, env: home });
    const key = { CODEX_API_KEY: 'sk-not-a-real-key-of-anyone' };
    const { run } = JSON.parse((await ended(p.start(['run', 'plan.yaml', '--json'], key))).stdout);
    // the login is gone by the time that the agents start
    expect((await p.cli('approve', run, '--json')).code).toBe(0);
    const ran = await p.cli('resume', run);
    expect([ran.code, ran.stdout]).toEqual([43, expect.stringContaining('tidegate auth codex')]);
    const state = foldRun((await p.events()).filter(({ stream }) => stream !== 'repo'));
    expect(state?.tasks).toMatchObject({
      one: { charged: 0, progress: { status: 'ready' } },
      two: {
        charged: 0,
        progress: {
          status: 'waiting',
          next: { halt: null, trouble: { provider: 'openai', trouble: { kind: 'needs-login' } } },
        },
      },
    });
    expect(state?.providers).toMatchObject({ openai: { status: 'paused', until: null } });
  } finally {
    rmSync(tools, { recursive: true });
  }
});
