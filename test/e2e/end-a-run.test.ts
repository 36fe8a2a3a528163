import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import { isAlive } from '../../src/adapters/process/process-identity.ts';
import { checkHistory } from '../support/checker.ts';
import { listenTo } from '../support/gate.ts';
import { gitFacts } from '../support/kill.ts';
import { ended, handoff, type Project, program, project, scripted } from '../support/project.ts';
import { atTerminal } from '../support/terminal.ts';

const task = scripted(`echo fine > a.txt; ${handoff}`, { owns: ['a.txt'] });
const runOf = ({ stdout }: { readonly stdout: string }): string => (JSON.parse(stdout) as { run: string }).run;
const types = async (p: Project) => (await p.events()).map(({ event }) => event.type);
const wrongWith = async (p: Project) => checkHistory(await p.events(), { git: gitFacts(p) });
const typing = (p: Project, args: string, answers: Readonly<Record<string, string | readonly string[]>>) =>
  atTerminal([process.execPath, program, ...args.split(' ')], { cwd: p.checkout, env: p.environment }, answers);

describe('F1: saying no ends a run', () => {
  test.each(['n\r', '\r'])('answer %j at the start', async (answer) => {
    await using p = await project({ plan: { tasks: { task } } });
    const said = await typing(p, 'run plan.yaml', { '[y/N/e/d]': answer });
    expect([said.code, said.screen]).toEqual([1, expect.stringContaining('rejected by')]);
    expect(await types(p)).toContain('run-ended');
    expect((await p.cli('run', 'plan.yaml', '--yes', '--land', '--json')).code).toBe(0);
  });

  test('a hang-up and an answer that is none leave the question open', async () => {
    await using p = await project({ plan: { tasks: { task } } });
    const said = await typing(p, 'run plan.yaml', { '[y/N/e/d]': ['x\r', '\u0004'] });
    expect(said.screen.split('[y/N/e/d]').length).toBeGreaterThan(2);
    expect(await types(p)).not.toContain('run-ended');
    expect((await p.cli('approve')).code).toBe(0);
  });

  test('dropping the only task before the start ends it', async () => {
    await using p = await project({ plan: { tasks: { task } } });
    const run = runOf(await p.cli('run', 'plan.yaml', '--json'));
    expect((await p.cli('drop', `${run}/task`)).code).toBe(0);
    expect((await p.cli('status', run)).stdout).toContain('all its tasks were dropped');
  });
});

describe('abandon ends a run', () => {
  test('that waits for approval, and it is final', async () => {
    await using p = await project({ plan: { tasks: { task } } });
    const run = runOf(await p.cli('run', 'plan.yaml', '--json'));
    const refused = await ended(p.start(['abandon', run], { CLAUDECODE: '1' }));
    expect([refused.code, await types(p)]).toEqual([43, expect.not.arrayContaining(['run-abandoned'])]);
    expect(await p.cli('abandon', run)).toMatchObject({ code: 0, stdout: expect.stringContaining('tidegate rescue') });
    expect((await p.cli('abandon', run)).stdout).toContain('has already ended (abandoned)');
    // and no coordinator stays for the question that nobody answers any more
    await using ledger = await openSqliteLedger(p.state().ledger);
    const holder = (await ledger.holder())?.holder;
    if (holder !== undefined) await vi.waitUntil(() => !isAlive(holder), { timeout: 20_000 });
    for (const command of ['approve', 'resume', 'land']) expect((await p.cli(command, run)).code).not.toBe(0);
    expect(checkHistory(await p.events())).toEqual([]);
  });

  test('whose agent is at work: it is stopped, and what it did is kept', async () => {
    const slow = scripted('echo half > a.txt; echo ready; sleep 600', { owns: ['a.txt'] });
    await using p = await project({ plan: { tasks: { slow } } });
    const run = runOf(await p.cli('run', 'plan.yaml', '--yes', '-d', '--json'));
    await using heard = await listenTo(p);
    if (!(await types(p)).includes('attempt-started')) await heard.next('attempt-started');
    expect((await p.cli('abandon', run)).code).toBe(0);
    const kept = await p.cli('rescue', run);
    expect([kept.code, kept.stdout]).toEqual([0, expect.stringContaining('slow')]);
    expect((await types(p)).filter((type) => type === 'attempt-ended')).toHaveLength(1);
    expect(await wrongWith(p)).toEqual([]);
  }, 60_000);

  test('that halted while its branch was being moved: the move is finished first', async () => {
    await using p = await project({ plan: { tasks: { task } } });
    const failpoint = { TIDEGATE_FAILPOINT: 'merger-landing-intended' };
    const halted = await ended(p.start(['run', 'plan.yaml', '--yes', '--land', '--json'], failpoint));
    expect([halted.code, (await types(p)).includes('run-halted')]).toEqual([43, true]);
    const run = runOf(halted);
    expect((await p.cli('abandon', run)).code).toBe(0);
    expect((await p.cli('status', run)).stdout).toContain('Abandoned by');
    expect(p.git('show', 'main:a.txt')).toBe('fine');
    expect(await wrongWith(p)).toEqual([]);
  }, 60_000);

  test('that halted while an agent is at work, and says so when the agent has ended', async () => {
    const quick = scripted(`sleep 2; echo fine > a.txt; ${handoff}`, { owns: ['a.txt'] });
    const slow = scripted('echo half > b.txt; sleep 600', { owns: ['b.txt'] });
    const waves = [{ tasks: { quick } }, { tasks: { slow } }];
    await using p = await project({ plan: { schedule: 'eager', waves } });
    const failpoint = { TIDEGATE_FAILPOINT: 'merger-candidate-written' };
    const run = runOf(await ended(p.start(['run', 'plan.yaml', '--yes', '-d', '--json'], failpoint)));
    await using heard = await listenTo(p);
    if (!(await types(p)).includes('run-halted')) await heard.next('run-halted');
    expect(await p.cli('abandon', run)).toMatchObject({ code: 0, stdout: expect.stringContaining('tidegate rescue') });
    expect((await types(p)).filter((type) => type === 'run-abandoned' || type === 'run-ended')).toHaveLength(2);
    expect(await wrongWith(p)).toEqual([]);
  }, 60_000);

  test.each(['stop', 'pause'])('after %s', async (verb) => {
    await using p = await project({ plan: { tasks: { task } } });
    const run = runOf(await p.cli('run', 'plan.yaml', '--json'));
    expect((await p.cli(verb, run)).code).toBe(0);
    expect((await p.cli('why', run)).stdout).toContain(`tidegate abandon ${run}`);
    expect((await p.cli('abandon', run)).code).toBe(0);
    expect((await p.cli('status', run)).stdout).toContain('Abandoned by');
  });
});

describe('work of a run that ended', () => {
  const stray = scripted(`echo x > elsewhere.txt; ${handoff}`, { owns: ['b.txt'] });
  const freed = async (p: Project) => (await p.cli('clean')).stdout.match(/^removed .*: dropped by/gm)?.length ?? 0;

  test('abandoned, merged or not: kept until each task is dropped by name, and then still there to rescue', async () => {
    await using p = await project({ plan: { tasks: { task, stray } } });
    const run = runOf(await p.cli('run', 'plan.yaml', '--yes', '--json'));
    expect((await p.cli('abandon', run)).code).toBe(0);
    const kept = await p.cli('clean');
    for (const name of ['task', 'stray'])
      expect(kept.stdout).toMatch(new RegExp(`keep .*${run}.${name}.1: .*: tidegate drop ${run}/${name}$`, 'm'));
    expect((await p.cli('drop', `${run}/stray`, 'elsewhere.txt')).stderr).toContain('has ended (abandoned)');
    for (const name of ['task', 'stray'])
      expect(await p.cli('drop', `${run}/${name}`)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('rescue'),
      });
    expect(await freed(p)).toBe(2);
    const rescued = await p.cli('rescue', run);
    for (const name of ['task', 'stray']) expect(rescued.stdout).toContain(`${run}.${name}.1`);
    expect((await p.cli('status', run)).stdout).toContain('Abandoned by');
    expect(await wrongWith(p)).toEqual([]);
  }, 60_000);

  test('done and not landed: a task that is dropped stays out of a later landing', async () => {
    const other = scripted(`echo other > b.txt; ${handoff}`, { owns: ['b.txt'] });
    await using p = await project({ plan: { tasks: { task, other } } });
    const run = runOf(await p.cli('run', 'plan.yaml', '--yes', '--json'));
    expect((await p.cli('reject', run)).code).toBe(0);
    expect((await p.cli('clean')).stdout).toMatch(
      new RegExp(`task.1: .*: tidegate land ${run}, or tidegate drop ${run}/task`),
    );
    expect((await p.cli('drop', `${run}/other`)).code).toBe(0);
    expect(await freed(p)).toBe(1);
    expect(await p.cli('land', run)).toMatchObject({ code: 3 });
    expect(p.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(['a.txt', 'plan.yaml', 'readme.md']);
    expect((await p.cli('drop', `${run}/task`)).stderr).toContain('task has already landed');
    expect(await wrongWith(p)).toEqual([]);
  }, 60_000);
});

describe('F2: a landing that is refused', () => {
  test('asks again, the old yes is void, and it can be given up', async () => {
    await using p = await project({ plan: { tasks: { task } } });
    p.write('a.txt', 'mine\n');
    const refused = await p.cli('run', 'plan.yaml', '--yes', '--land');
    expect([refused.code, refused.stdout + refused.stderr]).toEqual([43, expect.stringContaining('a.txt')]);
    const [run = ''] = (await p.events()).flatMap(({ event }) => (event.type === 'run-created' ? [event.run] : []));
    p.git('clean', '-fq', 'a.txt');
    expect((await p.cli('resume', run, '--json')).code).toBe(43);
    expect(p.git('ls-tree', '--name-only', 'main')).not.toContain('a.txt');
    expect(await p.cli('land', run)).toMatchObject({ code: 0 });
    expect(p.git('show', 'main:a.txt')).toBe('fine');
    expect(await wrongWith(p)).toEqual([]);
  }, 60_000);

  test('is ended by abandon; the work is kept', async () => {
    await using p = await project({ plan: { tasks: { task } } });
    p.write('a.txt', 'mine\n');
    expect((await p.cli('run', 'plan.yaml', '--yes', '--land', '--json')).code).toBe(43);
    expect((await p.cli('abandon')).code).toBe(0);
    expect((await p.cli('rescue')).stdout).toContain('task');
    // nobody is asked for anything any more
    expect((await p.cli('inbox')).stdout).not.toContain('a.txt');
    expect((await p.cli('why')).stdout).toMatch(/ended.*Abandoned/i);
    p.git('clean', '-fq', 'a.txt');
    expect((await p.cli('run', 'plan.yaml', '--yes', '--land', '--json')).code).toBe(0);
  }, 60_000);
});

test('a no to the landing ends a run that was stopped, and a later `land` still lands it', async () => {
  await using p = await project({ plan: { tasks: { task } } });
  const run = runOf(await p.cli('run', 'plan.yaml', '--yes', '--json'));
  expect((await p.cli('stop', run)).code).toBe(0);
  expect((await p.cli('reject', run)).code).toBe(0);
  expect(await types(p)).toContain('run-ended');
  expect(await p.cli('land', run)).toMatchObject({ code: 0 });
  expect(p.git('show', 'main:a.txt')).toBe('fine');
  expect(await wrongWith(p)).toEqual([]);
}, 60_000);

describe('a marker file', () => {
  const marked = async (p: Project, minutes: number): Promise<string> => {
    const run = runOf(await p.cli('run', 'plan.yaml', '--json'));
    await using heard = await listenTo(p);
    await heard.killCoordinator().catch(() => undefined);
    const marker = join(p.state().run(run), 'approved');
    const hash = (await p.events()).flatMap(({ event }) => (event.type === 'tap-opened' ? [event.hash] : []))[0] ?? '';
    writeFileSync(marker, hash);
    const at = Date.now() / 1000 + 60 * minutes;
    utimesSync(marker, at, at);
    expect(readFileSync(marker, 'utf8')).toBe(hash);
    return run;
  };

  test('F5: is read by the next command, though no coordinator was alive', async () => {
    await using p = await project({ plan: { land: 'auto', tasks: { task } } });
    const run = await marked(p, 0);
    expect((await p.cli('status')).code).toBe(0);
    expect((await p.cli('resume', run, '--json')).code).toBe(0);
    expect(p.git('show', 'main:a.txt')).toBe('fine');
  }, 60_000);

  test('answers the question that was open when it was written, and no later one', async () => {
    await using p = await project({ plan: { land: 'ask', tasks: { task } } });
    const run = await marked(p, 0);
    expect((await p.cli('resume', run, '--json')).code).toBe(43);
    expect((await types(p)).filter((type) => type === 'merged')).toHaveLength(1);
    for (const command of ['status', 'runs', 'inbox']) expect((await p.cli(command)).code).toBe(0);
    expect((await p.cli('resume', run, '--json')).code).toBe(43);
    expect(await types(p)).not.toContain('landed');
    const [hash = ''] = (await p.events()).flatMap(({ event }) => (event.type === 'tap-opened' ? [event.hash] : []));
    writeFileSync(join(p.state().run(run), 'approved'), hash);
    await p.cli('status');
    expect((await p.cli('resume', run, '--json')).code).toBe(0);
    expect(p.git('show', 'main:a.txt')).toBe('fine');
  }, 60_000);

  test('F4: counts by when it was written: too late is too late', async () => {
    await using p = await project({ plan: { land: 'auto', taps: { start: 'run', expires: '1m' }, tasks: { task } } });
    await marked(p, 5);
    await p.cli('status');
    const refused = (await p.events()).flatMap(({ event }) =>
      event.type === 'request-refused' ? [event.because] : [],
    );
    expect(refused).toMatchObject([{ rule: 'tap-expired' }]);
    expect(await types(p)).not.toContain('attempt-intended');
  }, 60_000);
});

describe('what was approved stays approved', () => {
  const slow = scripted(`sleep 1; echo fine > a.txt; ${handoff}`, { owns: ['a.txt'] });

  test('F10: when the terminal goes away', async () => {
    await using p = await project({ plan: { tasks: { slow } } });
    const child = p.start(['run', 'plan.yaml', '--yes', '--land']);
    await new Promise<void>((resolve) => child.stdout?.once('data', () => resolve()));
    child.kill('SIGHUP');
    await ended(child);
    expect((await p.cli('resume', '--json')).code).toBe(0);
    expect(p.git('show', 'main:a.txt')).toBe('fine');
  }, 60_000);

  test('F32: when the coordinator is killed', async () => {
    await using p = await project({ plan: { tasks: { slow } } });
    const child = p.start(['run', 'plan.yaml', '--yes', '--land']);
    await new Promise<void>((resolve) => child.stdout?.once('data', () => resolve()));
    child.kill('SIGKILL');
    await ended(child);
    expect((await p.cli('resume', '--json')).code).toBe(0);
    expect(p.git('show', 'main:a.txt')).toBe('fine');
  }, 60_000);
});

test('F8: a run that nobody attends never waits for a person of another run', async () => {
  const stray = scripted(`echo x > elsewhere.txt; ${handoff}`, { owns: ['b.txt'] });
  const second = stringify({ name: 'z', tasks: { task } });
  await using p = await project({ plan: { name: 'held', tasks: { stray } }, files: { 'z.yaml': second } });
  expect((await p.cli('run', 'plan.yaml', '--yes', '--json')).code).toBe(43);
  const done = await p.cli('run', 'z.yaml', '--ci', '--yes');
  const branch = `tidegate/${await lastRun(p)}`;
  expect([done.code, p.git('show', `${branch}:a.txt`)]).toEqual([0, 'fine']);
}, 60_000);

const lastRun = async (p: Project): Promise<string> =>
  (await p.events()).flatMap(({ event }) => (event.type === 'run-created' ? [event.run] : [])).at(-1) ?? '';

test('a coordinator whose repository is gone ends, with its agents, within a minute', async () => {
  const slow = scripted('echo half > a.txt; sleep 600', { owns: ['a.txt'] });
  await using p = await project({ plan: { tasks: { slow } } });
  expect((await p.cli('run', 'plan.yaml', '--yes', '-d', '--json')).code).toBe(0);
  await using heard = await listenTo(p);
  if (!(await types(p)).includes('attempt-started')) await heard.next('attempt-started');
  rmSync(p.checkout, { recursive: true });
  await Promise.all([heard.next('attempt-ended'), heard.next('coordinator-stopped')]);
  expect(await types(p)).toContain('run-stopped');
  // where what is left of the test begins its commands
  mkdirSync(p.checkout);
}, 90_000);
