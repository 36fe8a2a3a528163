import { describe, expect, test } from 'vitest';
import { checkHistory } from '../support/checker.ts';
import { gitFacts } from '../support/kill.ts';
import { type Project, program, project, scripted } from '../support/project.ts';
import { atTerminal } from '../support/terminal.ts';

/** What a person decides instead of a closure role has the effect that the command names, and is seen before the landing. */

const role = (script: string, more: object = {}) => ({ command: ['/bin/sh', '-ec', script], ...more });
const add = scripted('echo new > new.txt; tidegate handoff done -m "made it"', { owns: ['new.txt'] });
const plan = (closure: object, more: object = {}) => ({
  ...{ land: 'ask', limits: { attempts: 1 }, closure, tasks: { add } },
  ...more,
});
const writes = (word: string) =>
  role(`mkdir -p docs; echo how > docs/new.md; tidegate verdict ${word} --finding "two pages are missing"`, {
    owns: ['docs/**'],
  });
const blocked = role('tidegate verdict blocked --finding "a key in new.txt"');

async function ran(p: Project): Promise<string> {
  const { stdout, stderr } = await p.cli('run', 'plan.yaml', '--yes', '--json');
  const { run } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { readonly run?: string };
  if (run === undefined) throw new Error(stdout + stderr);
  return run;
}

type Document = {
  readonly waves: readonly { readonly closed: boolean; readonly overrides?: readonly object[] }[];
};
const documentOf = async (p: Project, run: string): Promise<Document> =>
  JSON.parse((await p.cli('status', run, '--json')).stdout) as Document;

async function expectSound(p: Project): Promise<void> {
  expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
  expect((await p.cli('verify')).code).toBe(0);
}

describe('a person resolves a role that wrote files', { timeout: 180_000 }, () => {
  test('its files become part of the work, and QA judges the tree with them', async () => {
    const qa = role('test -s docs/new.md; tidegate verdict pass');
    await using p = await project({ plan: plan({ docs: writes('delta'), qa }) });
    const run = await ran(p);
    const resolved = await p.cli('resolve', `${run}/wave-1-docs`, '-m', 'the pages follow next week');
    expect(resolved).toMatchObject({ code: 0, stdout: expect.stringContaining('Its changes (1 file) stay') });
    expect((await p.cli('resume', run)).code).toBe(43);
    expect(await p.cli('land', run)).toMatchObject({ code: 0 });
    expect(p.git('show', 'main:docs/new.md')).toBe('how');
    await expectSound(p);
  });

  test('files of a role that did not pass its gates stay out, and every view says so', async () => {
    const docs = role('echo x > outside.txt; tidegate verdict delta', { owns: ['docs/**'] });
    await using p = await project({ plan: plan({ docs }) });
    const run = await ran(p);
    const resolved = await p.cli('resolve', `${run}/wave-1-docs`, '-m', 'fine without');
    expect(resolved).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Its changes are not part of the work'),
    });
    expect((await p.cli('resume', run)).code).toBe(43);
    const left = 'its changes are not part of the work';
    expect((await p.cli('status', run)).stdout).toContain(left);
    expect((await p.cli('show', run)).stdout).toContain(left);
    expect((await p.cli('land', run)).stdout).toContain(left);
    expect(p.git('ls-tree', '--name-only', 'main')).not.toContain('outside.txt');
    await expectSound(p);
  });
});

test('whoever lands sees what was resolved: the report, the person and the reason', { timeout: 180_000 }, async () => {
  await using p = await project({ plan: plan({ security: blocked, qa: role('tidegate verdict pass') }) });
  const run = await ran(p);
  await p.cli('resolve', `${run}/wave-1-security`, '-m', 'the key is an example');
  expect((await p.cli('resume', run)).code).toBe(43);
  const lines = [/wave-1-security was resolved by \S+: the key is an example/, /reported blocked: a key in new\.txt/];
  for (const args of [
    ['status', run],
    ['show', run],
    ['show', `${run}/wave-1-security`],
    ['why', run],
    ['land', run],
  ]) {
    const { stdout } = await p.cli(...args);
    for (const line of lines) expect(stdout).toMatch(line);
  }
  expect((await documentOf(p, run)).waves[0]?.overrides).toMatchObject([
    {
      barrier: 'wave-1-security',
      who: expect.any(String),
      reason: 'the key is an example',
      word: 'blocked',
      findings: ['a key in new.txt'],
      changes: 'none',
    },
  ]);
});

const typing = (p: Project, args: string, answers: Readonly<Record<string, string>>) =>
  atTerminal([process.execPath, program, ...args.split(' ')], { cwd: p.checkout, env: p.environment }, answers);

describe('on a terminal', { timeout: 180_000 }, () => {
  test('land shows what would land and asks; no leaves everything as it is', async () => {
    const security = role('tidegate verdict concerns --finding "old cipher"');
    await using p = await project({ plan: plan({ security }) });
    const main = p.git('rev-parse', 'main');
    const run = await ran(p);
    const no = await typing(p, `land ${run}`, { '[y/N/d]': 'n\r' });
    expect([no.code, p.git('rev-parse', 'main')]).toEqual([43, main]);
    for (const text of ['add: 1 file', 'old cipher', 'Land 1 task on main?', 'Nothing has landed'])
      expect(no.screen).toContain(text);
    const yes = await typing(p, `land ${run}`, { '[y/N/d]': 'y\r' });
    expect([yes.code, p.git('show', 'main:new.txt')]).toEqual([0, 'new']);
  });

  test('a landing that was rejected is shown as not landed', async () => {
    await using p = await project({ plan: plan({}) });
    const run = await ran(p);
    expect((await p.cli('reject', run)).code).toBe(0);
    const { stdout } = await p.cli('status', run);
    expect(stdout).toContain('· Land');
    expect(stdout).toContain('Not landed on main: rejected by');
  });
});

test('a role whose program cannot be started gets advice that works', { timeout: 180_000 }, async () => {
  await using p = await project({ plan: plan({ security: { command: ['./scan.sh'] } }) });
  expect((await p.cli('lint', 'plan.yaml')).stdout).toMatch(/warning.*wave-1-security.*scan\.sh.*does not exist/);
  const run = await ran(p);
  const why = (await p.cli('why', run)).stdout;
  expect(why).toContain(`tidegate retry ${run}/wave-1-security`);
  expect(why).not.toMatch(/drop|accept/);
  expect(why).toContain('./scan.sh does not exist inside the fence');
  const shown = (await p.cli('show', `${run}/wave-1-security`)).stdout;
  expect(shown).not.toMatch(/tidegate (drop|accept)/);
  expect((await p.cli('retry', `${run}/wave-1-security`)).code).toBe(0);
  expect((await p.cli('resume', run)).code).toBe(43);
  expect((await p.cli('resolve', `${run}/wave-1-security`, '-m', 'no scanner here')).code).toBe(0);
});

test('a program that is not executable is named', { timeout: 180_000 }, async () => {
  await using p = await project({
    plan: plan({ security: { command: ['./scan.sh'] } }),
    files: { 'scan.sh': 'true\n' },
  });
  expect((await p.cli('lint', 'plan.yaml')).stdout).toMatch(/warning.*scan\.sh, which is not executable on main/);
  const run = await ran(p);
  expect((await p.cli('why', run)).stdout).toContain('./scan.sh is not executable');
});

test('reports that do not fit are refused with what would', { timeout: 180_000 }, async () => {
  const tries = (...all: readonly string[]) =>
    role(all.map((args) => `tidegate verdict ${args} >> said 2>&1 || true`).join('; '));
  const qa = tries('fine', 'pass --dimension live=maybe');
  const deploy = { ...tries('healthy --environment prod=healthy'), environments: ['prod', 'eu', 'us'] };
  const docs = tries('closed --item nothing');
  const queue = scripted('echo new > new.txt; tidegate handoff done -m did --claim docs=owned', { owns: ['new.txt'] });
  for (const [id, closure, lines] of [
    ['wave-1-qa', { qa }, ['pass|concerns|blocked', 'live must be pass, concerns or blocked']],
    ['wave-1-deploy', { deploy }, ['eu, us']],
    ['wave-1-docs', { docs }, ['nothing is not an open item', 'add']],
  ] as const) {
    const said = Object.fromEntries(
      Object.entries(closure).map(([name, one]) => [
        name,
        { ...one, command: [...one.command.slice(0, 2), `${one.command[2]}; cat said; rm said`] },
      ]),
    );
    await using p = await project({ plan: plan(said, { tasks: { add: queue } }) });
    const run = await ran(p);
    const log = (await p.cli('logs', `${run}/${id}`)).stdout;
    for (const line of lines) expect(log).toContain(line);
  }
});

describe('a stopped run', { timeout: 180_000 }, () => {
  test('merges nothing when a barrier is resolved, and goes on after resume', async () => {
    await using p = await project({ plan: plan({ security: blocked }) });
    const run = await ran(p);
    expect((await p.cli('stop', run)).code).toBe(0);
    expect((await p.cli('resolve', `${run}/wave-1-security`, '-m', 'fine')).code).toBe(0);
    expect((await p.cli('status', run)).stdout).toContain('stopped by');
    expect((await p.events()).filter(({ event }) => event.type === 'merge-intended')).toEqual([]);
    expect((await p.cli('resume', run)).code).toBe(43);
    expect((await documentOf(p, run)).waves[0]?.closed).toBe(true);
    await expectSound(p);
  });

  test('says that an approved landing happens after resume', async () => {
    await using p = await project({ plan: plan({ qa: role('tidegate verdict pass') }) });
    const main = p.git('rev-parse', 'main');
    const run = await ran(p);
    expect((await p.cli('stop', run)).code).toBe(0);
    const landed = await p.cli('land', run);
    expect([landed.code, p.git('rev-parse', 'main')]).toEqual([43, main]);
    expect(landed.stdout).toContain(`the landing is approved and happens after: tidegate resume ${run}`);
    expect((await p.cli('why', run)).stdout).toContain('the landing is approved');
    expect((await p.cli('resume', run)).code).toBe(0);
    expect(p.git('show', 'main:new.txt')).toBe('new');
  });
});
