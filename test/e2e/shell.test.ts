import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as nextLook } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunEvent } from '../../src/domain/ledger/events.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import { ended, handoff, type Project, program, project, scripted } from '../support/project.ts';
import { openPane } from '../support/tmux.ts';

/** One task that made a file, and one whose agent is at work until the run is stopped. */
const plan = {
  setup: 'mkdir made && echo once > made/by-setup',
  tasks: {
    one: scripted(`echo work > one.txt; ${handoff}`, { owns: ['one.txt'] }),
    slow: scripted('sleep 600', { owns: ['slow.txt'] }),
  },
};
let p: Project;
let run = '';

beforeAll(async () => {
  const env = { PASSED: 'through', ANTHROPIC_API_KEY: 'key-of-the-agent' };
  p = await project({ plan, files: { 'package.json': '{}\n', '.gitignore': 'made\n' }, env });
  const config = join(p.root, 'home/.config/tidegate');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.yaml'), 'fence: { env: [PASSED, ANTHROPIC_API_KEY] }\n');
  const asked = await p.cli('run', 'plan.yaml', '--yes', '--json', '-d');
  run = (JSON.parse(asked.stdout) as { run: string }).run;
  await reached('attempt-ended', 'one');
  await reached('attempt-started', 'slow');
}, 60_000);
afterAll(async () => {
  await p.cli('stop', run);
  await reached('attempt-ended', 'slow');
  await p[Symbol.asyncDispose]();
});

async function reached(type: RunEvent['type'], task: string): Promise<void> {
  const isThere = ({ event }: Stored): boolean => event.type === type && 'task' in event && event.task === task;
  while (!(await p.events()).some(isThere)) await nextLook(50);
}

const inShell = (...argv: string[]) => p.cli('shell', `${run}/one`, '--', ...argv);
const shellCopies = (): readonly string[] => (existsSync(p.state().shells) ? readdirSync(p.state().shells) : []);
const refs = (): string => p.git('--git-dir', p.state().repository, 'for-each-ref');

test('S5: a shell sees the objects of its snapshot and base, and not those of other branches', async () => {
  p.git('checkout', '-q', '-b', 'private');
  p.git('commit', '-q', '--allow-empty', '-m', 'private');
  const hidden = p.git('rev-parse', 'HEAD');
  p.git('checkout', '-q', 'main');
  p.git('--git-dir', p.state().repository, 'fetch', '-q', p.checkout, hidden);
  const seen = await inShell('/bin/sh', '-c', `git log --format=%s; git cat-file -t ${hidden} || echo hidden`);
  expect(seen.stdout).toMatch(/^Snapshot of .*\nthe plan\nfirst\nhidden$/m);
});

test('a command runs in a copy of the snapshot, with what the agent had around it and nothing that speaks for it', async () => {
  const before = refs();
  const out = join(p.checkout, 'escaped');
  const tries = [
    'pwd; cat one.txt made/by-setup; git status --short; env; id -u; ls -A /run/tidegate',
    `echo x > ${out}; echo x > /etc/escaped; echo x > new.txt; git add -A; git commit -qm changed`,
    '/run/tidegate/bin/tidegate handoff done -m forged && echo taken',
    'ls -l /proc/$$/fd | sed -n "s|.* 200 -> |leaked |p"',
    '(setsid sleep 600 &); exit 7',
  ];
  // a descriptor that the person's own shell left open would lead out; Node itself sees to low ones only
  const leaky = ['-c', 'exec 200</; exec "$@"', 'bash', process.execPath, program, 'shell', `${run}/one`, '--'];
  const all = await ended(
    spawn('/bin/bash', [...leaky, '/bin/sh', '-c', tries.join('\n')], { cwd: p.checkout, env: p.environment }),
  );
  expect([all.code, all.stderr]).toEqual([7, expect.stringContaining('changes in it have no effect')]);
  expect(all.stderr).not.toContain('setup has not been run');
  expect(all.stdout).toMatch(/^\/workspace\nwork\nonce\n/);
  for (const line of [`TIDEGATE_RUN=${run}`, 'TIDEGATE_TASK=one', 'PASSED=through', `COMPOSE_PROJECT_NAME=${run}-one`])
    expect(all.stdout.split('\n')).toContain(line);
  expect(all.stdout).toMatch(/^PORT=\d+$/m);
  expect(all.stdout).not.toMatch(/TIDEGATE_(?:NONCE|ATTEMPT|SOCKET)|key-of-the-agent|^(?:s|0|taken|leaked.*)$/m);
  expect([existsSync(out), existsSync('/etc/escaped'), refs(), shellCopies()]).toEqual([false, false, before, []]);

  const document = await p.cli('shell', `${run}/one`, '--json', '--', 'cat', 'one.txt');
  expect(JSON.parse(document.stdout)).toMatchObject({ schema: 'tidegate.shell/1', reason: 'ended', code: 0 });
  expect(document.stderr).toContain('work\n');
  expect(await inShell('no-such-program')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the program no-such-program does not exist inside the fence'),
  });
}, 60_000);

test('it is refused without a terminal, to an agent, and while the agent of the task is at work', async () => {
  expect(await p.cli('shell', `${run}/one`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`tidegate shell ${run}/one -- <command>`),
  });
  expect((await ended(p.start(['shell', `${run}/one`, '--', 'true'], { CLAUDECODE: '1' }))).code).toBe(43);
  expect(await p.cli('shell', `${run}/slow`, '--', 'true')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is running.*tidegate attach .*tidegate open /),
  });
}, 30_000);

test('when it is told to end, what runs in it is ended and the copy is removed', async () => {
  const child = p.start(['shell', `${run}/one`, '--', '/bin/sh', '-c', 'echo begun; sleep 600']);
  const over = ended(child);
  child.stdout.once('data', () => child.kill('SIGTERM'));
  expect([(await over).code, shellCopies()]).toEqual([130, []]);
}, 30_000);

test('on a terminal it is a shell with job control on a terminal of its own', async () => {
  const place = { cwd: p.checkout, env: p.environment };
  using pane = openPane([process.execPath, program, 'shell', `${run}/one`], place, { columns: 100, rows: 30 });
  const enter = (text: string): void => {
    pane.type(text);
    pane.press('Enter');
  };
  await pane.shows('[copy of one] /workspace $');
  enter('stty size; stat -Lc "minor %T" /proc/self/fd/0; cat one.txt');
  const [, minor] = /^30 100\nminor (\w+)\nwork$/m.exec(await pane.shows(/^work$/m)) ?? [];
  const persons = statSync(`/proc/${pane.pid()}/fd/0`).rdev & 0xff;
  expect(Number.parseInt(minor ?? '', 16)).not.toBe(persons);
  pane.resize({ columns: 90, rows: 25 });
  enter('stty size');
  await pane.shows(/^25 90$/m);
  enter('echo started; sleep 600');
  await pane.shows(/^started$/m);
  pane.press('C-c');
  enter('echo "after $?"');
  await pane.shows(/^after 130$/m);
  enter('sh -c "echo up; exec cat"');
  await pane.shows(/^up$/m);
  pane.press('C-z');
  await pane.shows(/Stopped/);
  enter('fg');
  await pane.shows(/ fg\nsh -c/);
  enter('still here');
  await pane.shows(/^still here\nstill here$/m);
  pane.press('C-d');
  await pane.shows(/^still here\n\[copy of one\] \/workspace \$$/m);
  enter('exit 7');
  const last = await pane.ended();
  expect([last.code, shellCopies()], last.screen).toEqual([7, []]);
}, 60_000);

test('a command on a terminal hears Ctrl-C itself', async () => {
  const script = 'trap "echo caught; exit 9" INT; echo up; while :; do sleep 1; done';
  const command = [process.execPath, program, 'shell', `${run}/one`, '--', '/bin/sh', '-c', script];
  using pane = openPane(command, { cwd: p.checkout, env: p.environment });
  await pane.shows(/^up$/m);
  pane.press('C-c');
  const last = await pane.ended();
  expect([last.code, shellCopies()], last.screen).toEqual([9, []]);
  expect(last.screen).toContain('caught');
}, 30_000);
