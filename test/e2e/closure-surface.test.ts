import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ended, type Project, project, scripted } from '../support/project.ts';
import { serverOf } from '../support/server.ts';

/** A person sees why a wave is open, and resolves it. */

const role = (script: string, more: object = {}) => ({ command: ['/bin/sh', '-c', script], ...more });
const task = scripted('echo new > new.txt; tidegate handoff done -m "made it"', { owns: ['new.txt'] });
const plan = (closure: object, more: object = {}) => ({
  land: 'auto',
  limits: { attempts: 1 },
  closure,
  tasks: { add: task },
  ...more,
});

type Ran = {
  readonly run: string;
  readonly exit: number;
  readonly reason: string;
  readonly needs: readonly { readonly kind: string; readonly task: string | null; readonly command: string }[];
  readonly waves: readonly {
    readonly closed: boolean;
    readonly closure?: readonly object[];
    readonly barriers?: readonly object[];
  }[];
};

async function ran(p: Project, ...more: string[]): Promise<Ran> {
  const { stdout } = await p.cli('run', 'plan.yaml', '--yes', '--json', ...more);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Ran;
}

const blocked = role('tidegate verdict blocked --finding "a key in new.txt"');
const pass = role('tidegate verdict pass');
const tip = (p: Project): string => p.git('rev-parse', 'main');

describe('a wave that security keeps open', () => {
  test('is open in every view, with one command; a reason closes it, and the branch moves', {
    timeout: 120_000,
  }, async () => {
    await using p = await project({ plan: plan({ security: blocked, qa: pass }) });
    const before = tip(p);
    const { run, exit, needs, waves } = await ran(p);
    const finding = 'security reports blocked: a key in new.txt';
    const command = `tidegate rework ${run}/add -m '${finding}'`;
    expect([exit, needs.map(({ kind, task: of }) => [kind, of])]).toEqual([43, [['barrier', 'wave-1-security']]]);
    expect(waves[0]).toMatchObject({
      closed: false,
      closure: [
        { role: 'security', state: 'reported', word: 'blocked', findings: ['a key in new.txt'] },
        { role: 'qa', state: 'waiting', word: null },
      ],
      barriers: [
        { id: 'wave-1-security', kind: 'report', owner: 'person', command, code: 'security-blocked' },
        { id: 'wave-1-qa', owner: 'wave-1-qa', code: 'missing-cont-qa' },
      ],
    });
    const status = (await p.cli('status', run)).stdout;
    expect(status).toContain('wave 1, open: security reports blocked: a key in new.txt');
    expect(status).toMatch(/wave-1-security +reported .* blocked: a key in new\.txt/);
    expect(status).toMatch(/wave-1-qa +waiting/);
    expect((await p.cli('why', run)).stdout).toMatch(
      /^\S+\/wave-1-security has been waiting for you for .*: security reports blocked: a key in new\.txt\.\n/,
    );
    const all = await p.cli('why', '--all', run);
    expect(all.stdout).toContain(`1 thing is open\n  1  wave-1-security: security reports blocked: a key in new.txt`);
    expect(all.stdout).toMatch(/owner: you, open for \d/);
    expect(all.stdout).toContain('after that, without you: wave-1-qa');
    expect(all.stdout).not.toContain('tidegate watch');
    const listed = JSON.parse((await p.cli('why', '--all', run, '--json')).stdout) as { actions: readonly object[] };
    expect(listed.actions).toMatchObject([
      { id: 'wave-1-security', owner: 'person', since: expect.any(String), command, code: 'security-blocked' },
      { id: 'wave-1-qa', owner: 'wave-1-qa', since: null, code: 'missing-cont-qa' },
    ]);
    expect((await p.cli('inbox')).stdout).toContain(command);

    // nothing but a reason of a person helps
    for (const args of [['drop'], ['accept', '--snapshot', before]])
      expect((await p.cli(args[0] ?? '', `${run}/wave-1-security`, ...args.slice(1))).code).toBe(1);
    expect(await p.cli('resolve', `${run}/wave-1-security`)).toMatchObject({ code: 2 });
    expect(await p.cli('resolve', `${run}/wave-1-security`, '-m', ' ')).toMatchObject({ code: 2 });
    expect((await p.cli('resolve', `${run}/nothing`, '-m', 'x')).stderr).toContain('open are wave-1-security');
    expect(tip(p)).toBe(before);

    const resolved = await p.cli('resolve', `${run}/wave-1-security`, '-m', 'the key is an example');
    expect(resolved).toMatchObject({ code: 0, stdout: expect.stringContaining('Resolved') });
    expect((await p.cli('resume', run, '--json')).code).toBe(0);
    expect(p.git('show', 'main:new.txt')).toBe('new');
    expect((await p.cli('events', run)).stdout).toContain('wave-1-security resolved by');
    expect((await p.cli('status', run)).stdout).toMatch(/wave-1-security +resolved/);
  });

  test('an agent may not resolve it; a token of the role approve may', { timeout: 120_000 }, async () => {
    await using p = await project({ plan: plan({ security: blocked }) });
    const { run } = await ran(p);
    const byAgent = p.start(['resolve', `${run}/wave-1-security`, '-m', 'fine'], { CLAUDECODE: '1' });
    expect((await ended(byAgent)).code).toBe(43);
    await using server = await serverOf(p);
    const { read, operate, approve } = server.tokens;
    const { json } = await server.ask('GET', '/v1/repositories', { token: read });
    const repository = (json as { items: readonly { id: string }[] }).items[0]?.id ?? '';
    const path = `/v1/repositories/${repository}/runs/${run}/resolve`;
    const body = { barrier: 'wave-1-security', reason: 'an example key' };
    expect((await server.ask('POST', path, { token: operate, body })).status).toBe(403);
    expect((await server.ask('POST', path, { token: approve, body: { ...body, reason: ' ' } })).status).toBe(422);
    expect((await server.ask('POST', path, { token: approve, body })).status).toBe(202);
  });
});

test('exit 42 when the report of QA is the only thing open, 43 when QA has not reported', {
  timeout: 120_000,
}, async () => {
  await using p = await project({ plan: plan({ qa: role('tidegate verdict concerns --finding "no test for 0"') }) });
  const { exit, reason, run } = await ran(p, '--ci', '--junit', join(p.root, 'junit.xml'));
  expect([exit, reason]).toEqual([42, 'qa']);
  const junit = readFileSync(join(p.root, 'junit.xml'), 'utf8');
  expect(junit).toMatch(/<testcase [^>]*name="wave-1-qa"[^>]*>\s*<failure message="reported concerns"/);
  expect(junit).toContain('no test for 0');
  expect((await p.cli('rework', `${run}/wave-1-qa`, '-m', 'look again')).code).toBe(0);

  await using q = await project({ plan: plan({ qa: role('true') }) });
  const absent = await ran(q);
  expect([absent.exit, absent.needs.map(({ command }) => command)]).toEqual([
    43,
    [`tidegate retry ${absent.run}/wave-1-qa`],
  ]);
  expect((await q.cli('status', absent.run)).stdout).toMatch(/wave-1-qa +absent/);
});

test('the plan that a person approves lists its roles, and concerns of security are shown at the landing', {
  timeout: 120_000,
}, async () => {
  const security = role('tidegate verdict concerns --finding "old cipher"');
  const docs = role('mkdir -p docs; echo how > docs/how.md; tidegate verdict closed', { owns: ['docs/**'] });
  await using p = await project({ plan: plan({ security, docs, qa: pass }, { land: 'ask' }) });
  expect((await p.cli('lint', 'plan.yaml')).stdout).toMatch(
    /before it closes:\n +wave-1-security +reports only.*\n +wave-1-docs +owns docs\/\*\*.*\n +wave-1-qa +reports only/,
  );
  const { run, exit } = await ran(p);
  expect(exit).toBe(43);
  expect((await p.cli('show', run)).stdout).toContain('before it closes:');
  expect((await p.cli('status', run)).stdout).toMatch(/wave-1-docs +reported +closed/);
  const landed = await p.cli('land', run);
  expect(landed).toMatchObject({ code: 0 });
  expect(landed.stdout).toContain('wave-1-security has concerns:\n    old cipher');
  expect(p.git('show', 'main:docs/how.md')).toBe('how');
});

test('the example of the page on closing a wave runs as the page says', { timeout: 120_000 }, async () => {
  const [page = ''] = readFileSync('docs/how-to/close-a-wave.md', 'utf8').split('\n## The roles');
  const blocks = [...page.matchAll(/^```(?:sh|yaml)\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const files = blocks.flatMap((block) => {
    const name = /^# (\S+\.(?:sh|yaml))$/m.exec(block)?.[1];
    return name === undefined ? [] : [{ name, block }];
  });
  await using p = await project({ plan: {} });
  for (const { name, block } of files) p.write(name, block, name.endsWith('.sh') ? 0o755 : 0o644);
  p.git('add', '-A');
  p.git('commit', '-q', '-m', 'the example');
  const commands = blocks.filter((block) => block.startsWith('tidegate ')).flatMap((block) => block.trim().split('\n'));
  const seen: (readonly [string, number | null])[] = [];
  for (const command of commands) {
    const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1);
    const { code, stdout } = await p.cli(...words);
    seen.push([words[0] ?? '', code]);
    if (words[0] === 'why') expect(stdout).toContain('greeting.txt mentions a password');
  }
  expect(seen).toEqual([
    ['run', 43],
    ['why', 0],
    ['resolve', 0],
    ['resume', 43],
    ['land', 0],
  ]);
  expect(p.git('show', 'main:greeting.txt')).toContain('Welcome!');
});
