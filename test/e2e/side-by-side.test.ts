import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkHistory } from '../support/checker.ts';
import { listenTo } from '../support/gate.ts';
import { gitFacts } from '../support/kill.ts';
import { ended, handoff, type Project, project, scripted } from '../support/project.ts';

const writes = (file: string, text = file) => scripted(`echo ${text} > ${file}; ${handoff}`, { owns: [file] });
const planOf = (name: string, tasks: object, more: object = {}) => stringify({ name, land: 'auto', ...more, tasks });
const runOf = ({ stdout }: { readonly stdout: string }): string => (JSON.parse(stdout) as { run: string }).run;

/** Every landing was checked on exactly the tree that landed, and nothing else is wrong with the ledger either. */
const wrongWith = async (p: Project) => checkHistory(await p.events(), { git: gitFacts(p) });

test('three runs work at once on one branch, and one that waits for a person delays none of them', async () => {
  await using p = await project({
    plan: { name: 'waits', tasks: { slow: writes('slow.txt') } },
    files: Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [`${name}.yaml`, planOf(name, { [name]: writes(`${name}.txt`) })]),
    ),
  });
  expect((await p.cli('run', 'plan.yaml', '--json')).code).toBe(43);
  const done = await Promise.all(['a', 'b', 'c'].map((name) => p.cli('run', `${name}.yaml`, '--yes', '--json')));

  expect(done.map(({ code }) => code)).toEqual([0, 0, 0]);
  const there = p.git('ls-tree', '--name-only', 'main').split('\n');
  expect(there).toEqual(expect.arrayContaining(['a.txt', 'b.txt', 'c.txt']));
  expect(there).not.toContain('slow.txt');
  expect(await wrongWith(p)).toEqual([]);
  expect((await p.cli('abandon', 'waits')).stdout).toMatch(/^Abandoned waits-/);
}, 120_000);

test('a run that landed meanwhile is what the next one is rebuilt on; its yes stays valid', async () => {
  await using p = await project({
    plan: {
      name: 'first',
      land: 'ask',
      checks: [{ name: 'there', run: 'test -f readme.md' }],
      tasks: { one: writes('one.txt') },
    },
    files: { 'b.yaml': planOf('second', { two: writes('two.txt') }) },
  });
  expect((await p.cli('run', 'plan.yaml', '--yes', '--json')).code).toBe(43);
  expect((await p.cli('run', 'b.yaml', '--yes', '--json')).code).toBe(0);
  const landed = await p.cli('land', 'first');
  expect([landed.code, landed.stdout]).toEqual([0, expect.stringMatching(/Landed on main as/)]);
  expect(p.git('log', '--format=%s', '-2', 'main').split('\n')).toHaveLength(2);
  const rebuilt = (await p.events()).filter(({ event }) => event.type === 'landing-rebuilt');
  expect(rebuilt).toHaveLength(1);
  expect(await wrongWith(p)).toEqual([]);
}, 120_000);

test('a conflict names the files, the task, and the run and task on the other side', async () => {
  await using p = await project({
    plan: { name: 'first', land: 'ask', tasks: { one: writes('same.txt', 'one') } },
    files: { 'b.yaml': planOf('second', { two: writes('same.txt', 'two') }) },
  });
  expect((await p.cli('run', 'plan.yaml', '--yes', '--json')).code).toBe(43);
  // what is merged and waits for its landing may still be in the way
  expect((await p.cli('run', 'b.yaml', '--dry-run')).stdout).toMatch(
    /`two` and first-\w+\/one may both write `same.txt`/,
  );
  const second = runOf(await p.cli('run', 'b.yaml', '--yes', '--json'));
  const refused = await p.cli('land', 'first');
  expect(refused.code).toBe(43);
  expect(`${refused.stdout}${refused.stderr}`).toContain(
    `one conflicts with new commits on main (${second}/two): same.txt`,
  );
  expect(p.git('show', 'main:same.txt')).toBe('two');
  expect((await p.cli('abandon', 'first')).code).toBe(0);
  expect((await p.cli('runs')).stdout).toMatch(/first-\w+.*Abandoned by/);
}, 120_000);

test('with several live runs a command that changes something lists them; one that shows, shows all', async () => {
  await using p = await project({
    plan: { name: 'one', tasks: { a: writes('a.txt') } },
    files: { 'b.yaml': planOf('two', { b: writes('b.txt') }) },
  });
  const first = runOf(await p.cli('run', 'plan.yaml', '--json'));
  const second = runOf(await p.cli('run', 'b.yaml', '--json'));
  const listed = await p.cli('abandon');
  expect([listed.code, listed.stderr]).toEqual([2, expect.stringContaining(`${first}, ${second}`)]);
  for (const command of ['status', 'why', 'runs', 'inbox', 'show', 'rescue', 'board', 'costs', 'conflicts']) {
    const shown = await p.cli(command);
    expect([command, shown.code]).toEqual([command, 0]);
    for (const run of [first, second]) expect([command, shown.stdout]).toEqual([command, expect.stringContaining(run)]);
  }
  expect((await p.cli('reject', 'one')).code).toBe(0);
  expect((await p.cli('abandon')).stdout).toContain(second);
}, 60_000);

test('one limit holds for the attempts of all runs of a repository', async () => {
  const sleepy = (file: string) => scripted(`sleep 0.3; echo x > ${file}; ${handoff}`, { owns: [file] });
  const tasks = (name: string) => Object.fromEntries([1, 2, 3].map((n) => [`${name}${n}`, sleepy(`${name}${n}.txt`)]));
  await using p = await project({
    plan: { name: 'a', land: 'auto', tasks: tasks('a') },
    files: { 'b.yaml': planOf('b', tasks('b')) },
    env: { TIDEGATE_MACHINE_AGENTS: '2' },
  });
  const both = await Promise.all(['plan.yaml', 'b.yaml'].map((file) => p.cli('run', file, '--yes', '--json')));
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  let [live, most] = [0, 0];
  for (const { event } of await p.events()) {
    live += event.type === 'attempt-intended' ? 1 : event.type === 'attempt-ended' ? -1 : 0;
    most = Math.max(most, live);
  }
  expect(most).toBe(2);
}, 120_000);

test('a run that waits for a free place says so', async () => {
  await using p = await project({
    plan: { name: 'first', tasks: { a: scripted('sleep 600', { owns: ['a.txt'] }) } },
    files: { 'b.yaml': planOf('second', { b: writes('b.txt') }) },
    env: { TIDEGATE_MACHINE_AGENTS: '1' },
  });
  expect((await p.cli('run', 'plan.yaml', '--yes', '-d', '--json')).code).toBe(0);
  await using heard = await listenTo(p);
  if (!(await p.events()).some(({ event }) => event.type === 'attempt-started')) await heard.next('attempt-started');
  const based = heard.next('task-base-made');
  const second = runOf(await p.cli('run', 'b.yaml', '--yes', '-d', '--json'));
  await based;
  expect((await p.cli('why', second)).stdout).toContain(`${second}/b is waiting for a slot: 1 attempt is running`);
  expect((await p.cli('status', second)).stdout).toMatch(/b +waiting +(\d+s +)?for its turn/);
}, 60_000);

test('overlapping files and a plan that is live already are said before the start', async () => {
  await using p = await project({
    plan: { name: 'one', tasks: { a: writes('a.txt') } },
    files: { 'b.yaml': planOf('two', { b: writes('a.txt') }) },
  });
  const first = runOf(await p.cli('run', 'plan.yaml', '--json'));
  const overlapping = await p.cli('run', 'b.yaml', '--dry-run');
  expect(overlapping.stdout).toContain(`and ${first}/a may both write`);
  const again = await p.cli('run', 'plan.yaml', '--dry-run');
  expect(again.stdout).toContain(`this plan is already running as ${first}`);
}, 60_000);

test('undo without a name means what has landed last, though another run waits', async () => {
  await using p = await project({
    plan: { name: 'waits', tasks: { slow: writes('slow.txt') } },
    files: { 'b.yaml': planOf('landed', { b: writes('b.txt') }) },
  });
  const landed = runOf(await p.cli('run', 'b.yaml', '--yes', '--json'));
  expect((await p.cli('run', 'plan.yaml', '--json')).code).toBe(43);
  expect((await p.cli('undo', '--dry-run')).stdout).toContain(`tidegate undo ${landed}`);
  expect((await p.cli('undo', '--yes')).code).toBe(0);
  expect(p.git('ls-tree', '--name-only', 'main').split('\n')).not.toContain('b.txt');
}, 60_000);

test('a run that nobody attends is not said to be at work, and watch in a pipe says what ends each wait', async () => {
  const script = `echo b > b.txt; ${handoff}`;
  await using p = await project({
    plan: { name: 'waits', tasks: { slow: writes('slow.txt') } },
    files: { 'b.yaml': planOf('killed', { b: scripted(`sleep 60; ${script}`, { owns: ['b.txt'] }) }) },
  });
  const waits = runOf(await p.cli('run', 'plan.yaml', '--json'));
  const watching = p.start(['watch', waits]);
  const heard = ended(watching);
  await new Promise<void>((resolve) => {
    let said = '';
    watching.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes(`tidegate approve ${waits}`)) resolve();
    });
  });
  watching.kill('SIGTERM');
  expect((await heard).stdout).toMatch(
    /^waiting for you: 1 task is waiting for approval: tidegate approve waits-\w+$/m,
  );

  const running = p.start(['run', 'b.yaml', '--yes', '--json']);
  const over = ended(running);
  await using events = await listenTo(p);
  if (!(await p.events()).some(({ event }) => event.type === 'attempt-started')) await events.next('attempt-started');
  running.kill('SIGKILL');
  await over;
  expect((await p.cli('runs')).stdout).toMatch(/killed-\w+ .*no coordinator is running: tidegate resume killed-\w+/);
}, 60_000);
