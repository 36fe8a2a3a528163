import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { hashPlan } from '../../src/adapters/plan-files/index.ts';
import { listenTo } from '../support/gate.ts';
import { handoff, type Project, program, project, scripted } from '../support/project.ts';
import { atTerminal } from '../support/terminal.ts';

const hello = scripted(`echo working; echo hi > HELLO.md; ${handoff}`, { owns: ['HELLO.md'] });
const reply = scripted(`sed s/^/re:/ HELLO.md > REPLY.md; ${handoff}`, { owns: ['REPLY.md'], needs: ['hello'] });
const rogue = scripted(`echo x > OTHER.md; echo y >> readme.md; ${handoff}`, { owns: ['OTHER.md'] });

test('a dry run prints waves, scopes and what is asked, and leaves nothing behind', async () => {
  await using here = await project({ plan: { tasks: { hello, reply } } });
  const before = here.git('status', '--porcelain');
  const { code, stdout } = await here.cli('run', 'plan.yaml', '--dry-run');
  expect(code).toBe(0);
  expect(stdout).toContain('2  reply  owns REPLY.md  after hello');
  expect(stdout).toContain('fence   bubblewrap');
  expect(stdout).toContain('asks    once, before the first task starts, and before the branch moves');
  expect(existsSync(join(here.root, 'state'))).toBe(false);
  expect(here.git('status', '--porcelain')).toBe(before);
});

test('where nothing was ever run, commands say so and leave nothing behind', async () => {
  await using here = await project({ plan: { tasks: { hello } } });
  for (const name of ['approve', 'pause', 'land', 'resume', 'why', 'replay'])
    expect(await here.cli(name)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/there is no run here yet.*\n$/),
    });
  expect(await here.cli('verify')).toMatchObject({ code: 0 });
  expect(existsSync(join(here.root, 'state'))).toBe(false);
});

test('in a pipe: plain lines, landed, exit 0; then undone exactly', async () => {
  await using here = await project({ plan: { tasks: { hello, reply } } });
  const before = here.git('rev-parse', 'main');
  const ran = await here.cli('run', 'plan.yaml', '--yes', '--land');
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stdout).not.toContain('\x1b');
  for (const line of ['hello: started', 'reply: ready', 'wave 1: merged hello, reply', 'Landed on main as'])
    expect(ran.stdout).toContain(line);
  expect(ran.stdout).toContain('(yes-flag)');
  expect(ran.stdout).toContain('onto main; the plan has no checks\n');
  expect(ran.stdout).toMatch(/Landed on main as \w+ \(the plan has no checks\)/);
  expect(JSON.parse((await here.cli('status', '--json')).stdout)).toMatchObject({ checks: [] });
  expect(ran.stdout).toContain('(land-flag)');
  expect(here.git('show', 'main:REPLY.md')).toBe('re:hi');
  expect(await here.cli('verify')).toMatchObject({ code: 0 });
  expect(await here.cli('undo', '--yes')).toMatchObject({ code: 0 });
  expect(here.git('rev-parse', 'main')).toBe(before);
});

test('what an agent is told is kept, its hash is in the ledger, and it has the focus of the run and what came before', async () => {
  const asked = scripted(`tidegate handoff done -m "said hi"; cp "$TIDEGATE_BRIEF" HELLO.md`, { owns: ['HELLO.md'] });
  await using here = await project({ plan: { tasks: { hello: asked, reply } } });
  const ran = await here.cli('run', 'plan.yaml', '--yes', '--land', '--focus', 'Be brief.');
  expect(ran).toMatchObject({ code: 0 });
  expect((await here.cli('show')).stdout).toContain('focus   Be brief.');
  const given = await here.cli('show', 'hello', '--prompt');
  expect(given.stdout).toContain('## Focus of this run\n\nBe brief.\n');
  expect(given.stdout).toBe(`${here.git('show', 'main:HELLO.md')}\n`);
  const next = (await here.cli('show', 'reply', '--prompt')).stdout;
  expect(next).toMatch(/^<<< data (\w+)\n\[hello\] said hi\n>>> end of data \1$/m);
  const events = (await here.events()).map(({ event }) => event);
  const started = events.filter((event) => event.type === 'attempt-started');
  expect(started.map(({ prompt }) => prompt)).toEqual([given.stdout, next].map((text) => hash('sha256', text, 'hex')));
  const created = events.find((event) => event.type === 'run-created');
  if (created === undefined) throw new Error('no run');
  const { focus, ...rest } = created.plan;
  expect(focus).toBe('Be brief.');
  expect([hashPlan(created.plan), hashPlan(rest)].map((known) => known === created.hash)).toEqual([true, false]);
});

test('without a terminal and without --yes a person is needed: exit 43 and the command to type', async () => {
  await using here = await project({ plan: { tasks: { hello } } });
  const { code, stdout } = await here.cli('run', 'plan.yaml', '--json');
  const document = JSON.parse(stdout) as { run: string; reason: string; needs: readonly { command: string }[] };
  expect({ code, reason: document.reason, commands: document.needs.map(({ command }) => command) }).toEqual({
    code: 43,
    reason: 'approve',
    commands: [`tidegate approve ${document.run}`],
  });
  expect(await here.cli('reject')).toMatchObject({ code: 0 });
});

test('an agent cannot answer with --yes', async () => {
  await using here = await project({ plan: { tasks: { hello } }, env: { CLAUDECODE: '1' } });
  const { code, stderr } = await here.cli('run', 'plan.yaml', '--yes');
  expect({ code, stderr }).toEqual({ code: 43, stderr: expect.stringContaining('an agent (claude-code) called this') });
  expect((await here.events()).some(({ event }) => event.type === 'attempt-intended')).toBe(false);
});

test('a held task is named with its command; dropped by name the rest lands, exit 3', async () => {
  await using here = await project({ plan: { tasks: { hello, rogue } } });
  const ran = await here.cli('run', 'plan.yaml', '--yes', '--land');
  expect(ran.code).toBe(43);
  expect(ran.stdout).toMatch(/waiting for you .*rogue.*readme\.md/);
  expect((await here.cli('diff', 'rogue', '--stat')).stdout).toMatch(
    /modified readme\.md +\+\d+ −\d+ +out of scope: the task does not own it/,
  );
  expect(await here.cli('drop', 'rogue')).toMatchObject({ code: 0 });
  // what --land approved lands by itself, once nothing holds it
  expect(await here.cli('watch', '--json')).toMatchObject({ code: 3 });
  expect(here.git('show', 'main:HELLO.md')).toBe('hi');
  expect((await here.cli('rescue', 'rogue')).stdout).toContain('refs/tidegate/attempts/');
});

test('plans that own the same path are refused before anything is kept', async () => {
  await using here = await project({ plan: { tasks: { hello, twin: hello } } });
  const { code, stdout } = await here.cli('run', 'plan.yaml', '--yes');
  expect(code).toBe(2);
  expect(stdout).toContain('could both write `HELLO.md`');
  expect(existsSync(join(here.root, 'state'))).toBe(false);
});

test('detached, a run goes on in the background and is watched to its end', async () => {
  await using here = await project({ plan: { tasks: { hello } } });
  expect(await here.cli('run', 'plan.yaml', '-d', '--yes', '--land')).toMatchObject({ code: 0 });
  const watched = await here.cli('watch');
  expect(watched).toMatchObject({ code: 0, stdout: expect.stringContaining('Landed on main') });
});

test('a terminal that goes away detaches, however often the shell says so', async () => {
  await using here = await project({ plan: { tasks: { slow: scripted('sleep 600', { owns: ['HELLO.md'] }) } } });
  const child = here.start(['run', 'plan.yaml', '--yes']);
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) if (line === 'slow: started') break;
  await using listening = await listenTo(here);
  const takenOver = listening.next('coordinator-started');
  const left = once(child, 'exit');
  const hangUp = setInterval(() => child.kill('SIGHUP'), 1);
  await left;
  clearInterval(hangUp);
  await takenOver;
  expect(await here.cli('stop')).toMatchObject({ code: 0 });
});

test('a stopped run that is resumed detached goes on: told at once, not when its agent is through', async () => {
  await using here = await project({ plan: { tasks: { slow: scripted('sleep 600', { owns: ['HELLO.md'] }) } } });
  const { run } = JSON.parse((await here.cli('run', 'plan.yaml', '-d', '--yes', '--json')).stdout) as { run: string };
  expect(await here.cli('stop')).toMatchObject({ code: 0 });
  const resumed = await here.cli('resume', '-d');
  expect(resumed).toMatchObject({
    code: 0,
    stdout: `${run} continues in the background. Follow it: tidegate watch ${run}\n`,
  });
  await here.cli('stop');
});

test('on a terminal the start is asked for inline: y starts, Enter says no and ends the run', async () => {
  await using here = await project({ plan: { tasks: { hello } } });
  const no = await typed(here, { 'Start 1 task? [y/N/e/d]': '\n' });
  expect(no).toMatchObject({ code: 1 });
  expect(no.screen).toContain('rejected by');
  const yes = await typed(here, { 'Start 1 task? [y/N/e/d]': 'y\n', 'Land 1 task on main? [y/n/d': 'y' });
  expect(yes).toMatchObject({ code: 0 });
  expect(yes.screen).toContain('✓ Check  ✓ Approve  ✓ Work  ✓ Verify  ✓ Land');
  expect(readdirSync(here.checkout)).toContain('HELLO.md');
});

test('e opens the plan in the editor and asks of the new one; a mistake in it is told, and the one before stands', async () => {
  await using here = await project({ plan: { tasks: { hello } } });
  const broken = join(here.root, 'broken.yaml');
  const next = join(here.root, 'next.yaml');
  writeFileSync(broken, 'nonsense: 1\n');
  writeFileSync(next, stringify({ tasks: { hello, reply } }));
  const editor = join(here.root, 'editor');
  const script = `#!/bin/sh\nif [ -e ${broken} ]; then mv ${broken} "$1"; else cp ${next} "$1"; fi\n`;
  writeFileSync(editor, script, { mode: 0o755 });
  const { code, screen } = await atTerminal(
    [process.execPath, program, 'run', 'plan.yaml'],
    { cwd: here.checkout, env: { ...here.environment, EDITOR: editor } },
    {
      'Start 1 task? [y/N/e/d]': ['e\n', 'e\n'],
      'Start 2 tasks? [y/N/e/d]': 'y\n',
      'Land 2 tasks on main? [y/n/d': 'y',
    },
  );
  expect([code, screen.includes('nonsense'), screen.includes('has a new plan')]).toEqual([0, true, true]);
  expect(readdirSync(here.checkout)).toContain('REPLY.md');
});

/** Runs the plan on a terminal. */
const typed = (here: Project, answers: Readonly<Record<string, string>>) =>
  atTerminal([process.execPath, program, 'run', 'plan.yaml'], { cwd: here.checkout, env: here.environment }, answers);
