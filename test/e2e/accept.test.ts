import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import { checkHistory } from '../support/checker.ts';
import { ended, type Project, project, scripted } from '../support/project.ts';
import { runOnly } from '../support/run-only.ts';
import { serverOf } from '../support/server.ts';

/** Work that a person has read can be taken, although its agent did not end well; and nothing else by that. */

const partial = 'tidegate handoff partial -m half --remaining "the rest"';
const plan = (tasks: object) => ({ land: 'auto', limits: { attempts: 1 }, tasks });
const halfway = scripted(`echo half > work.txt; ${partial}`, { owns: ['work.txt'] });

async function ran(p: Project): Promise<string> {
  const { stdout } = await p.cli('run', 'plan.yaml', '--yes', '--land', '--json');
  return (JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { run: string }).run;
}

const eventsOf = async <T extends LedgerEvent['type']>(p: Project, type: T) =>
  (await p.events()).flatMap(({ event }) => (event.type === type ? [event as LedgerEvent & { readonly type: T }] : []));

/** An editor that does this to the directory that it is given. */
function editor(p: Project, script: string): Readonly<Record<string, string>> {
  const path = join(p.root, `editor-${Math.abs(script.length)}.sh`);
  writeFileSync(path, `#!/bin/sh\ncd "$1" || exit 9\n${script}\n`);
  chmodSync(path, 0o755);
  return { EDITOR: path, VISUAL: '' };
}

describe('tidegate accept', () => {
  test('F15: a partial handoff is advised to go on or be accepted, and what is accepted lands with a trailer', async () => {
    await using p = await project({ plan: plan({ half: halfway }) });
    const run = await ran(p);
    const status = JSON.parse((await p.cli('status', run, '--json')).stdout) as {
      readonly needs: readonly { readonly command: string }[];
    };
    expect(status.needs.map(({ command }) => command)).toEqual([
      expect.stringContaining(`tidegate rework ${run}/half -m `),
    ]);
    const why = await p.cli('why', `${run}/half`);
    expect(why.stdout).toContain(`tidegate accept ${run}/half`);
    expect(why.stdout).not.toContain('tidegate retry');

    const shown = await p.cli('accept', `${run}/half`);
    expect(shown).toMatchObject({ code: 43, stdout: expect.stringContaining('work.txt') });
    expect(await eventsOf(p, 'requested-accept')).toEqual([]);
    const [left] = await eventsOf(p, 'attempt-ended');
    const snapshot = left?.snapshot?.commit ?? '';
    expect(shown.stderr).toContain(`tidegate accept ${run}/half --snapshot ${snapshot.slice(0, 12)}`);

    const taken = await p.cli('accept', `${run}/half`, '--snapshot', snapshot.slice(0, 12));
    expect(taken).toMatchObject({ code: 0 });
    expect((await p.cli('resume', run, '--json')).code).toBe(0);
    expect(p.git('show', 'main:work.txt')).toBe('half');
    const message = p.git('log', '-1', '--format=%B', 'main');
    expect(message).toMatch(new RegExp(`^Tidegate-Accepted-by: \\S.* ${snapshot}$`, 'm'));
    expect(await eventsOf(p, 'task-accepted')).toMatchObject([{ task: 'half', snapshot }]);
    expect((await p.cli('status', run)).stdout).toMatch(/half .*accepted by \S/);
    expect(checkHistory(await p.events())).toEqual([]);
    expect((await p.cli('verify')).code).toBe(0);
  }, 120_000);

  test('it is refused to an agent, for another snapshot, for an older attempt, and again after a retry', async () => {
    await using p = await project({ plan: plan({ half: halfway }) });
    const run = await ran(p);
    const [first] = await eventsOf(p, 'attempt-ended');
    const old = first?.snapshot?.commit ?? '';
    const by = (env: Readonly<Record<string, string>>) =>
      ended(p.start(['accept', `${run}/half`, '--snapshot', old], env));
    expect((await by({ CLAUDECODE: '1' })).code).toBe(43);
    expect(await p.cli('accept', `${run}/half`, '--snapshot', 'f'.repeat(40))).toMatchObject({ code: 1 });
    expect(await p.cli('accept', `${run}/half`, '--snapshot', 'ffffffff')).toMatchObject({ code: 2 });
    expect(await p.cli('accept', `${run}/half`, '--snapshot', 'nonsense')).toMatchObject({ code: 2 });
    expect(await p.cli('rework', `${run}/half`, '-m', 'write something else')).toMatchObject({ code: 0 });
    await p.cli('resume', run, '--json');
    const attempts = await eventsOf(p, 'attempt-ended');
    expect(attempts.length).toBe(2);
    const newest = attempts.at(-1)?.snapshot?.commit;
    // the same files give the same snapshot: only then is the older id the newest
    if (newest !== old) expect((await by({})).code).toBe(1);
    expect(await eventsOf(p, 'task-accepted')).toEqual([]);
  }, 120_000);

  test('every other gate judges what was accepted: out of scope it is held, and a secret holds it too', async () => {
    const strays = scripted(`echo half > work.txt; echo x > stray.txt; ${partial}`, { owns: ['work.txt'] });
    const leaks = scripted(`printf 'k = "ghp_%036d"' 7 > leak.txt; ${partial}`, { owns: ['leak.txt'] });
    await using p = await project({ plan: plan({ strays, leaks }) });
    const run = await ran(p);
    const before = p.git('rev-parse', 'main');
    for (const left of await eventsOf(p, 'attempt-ended')) {
      const id = left.snapshot?.commit ?? '';
      expect(await p.cli('accept', `${run}/${left.task}`, '--snapshot', id)).toMatchObject({ code: 0 });
    }
    await p.cli('resume', run, '--json');
    expect(await eventsOf(p, 'merged')).toEqual([]);
    expect(p.git('rev-parse', 'main')).toBe(before);
    expect((await p.cli('why', `${run}/strays`)).stdout).toContain(`tidegate grant ${run}/strays stray.txt`);
    expect((await p.cli('why', `${run}/leaks`)).stdout).toMatch(/held.*leak\.txt/);
    expect(await p.cli('grant', `${run}/strays`, 'stray.txt')).toMatchObject({ code: 0 });
    await p.cli('resume', run, '--json');
    expect((await eventsOf(p, 'merged')).flatMap(({ tasks }) => tasks.map(({ task }) => task))).toEqual(['strays']);
    expect(checkHistory(await p.events())).toEqual([]);
  }, 120_000);
});

test('the API takes exactly the snapshot that is named, and only for a person', async () => {
  await using p = await project({ plan: plan({ half: halfway }) });
  const run = await ran(p);
  const [left] = await eventsOf(p, 'attempt-ended');
  const snapshot = left?.snapshot?.commit ?? '';
  await using server = await serverOf(p);
  const { read, operate, approve } = server.tokens;
  const { json } = await server.ask('GET', '/v1/repositories', { token: read });
  const [{ id }] = (json as { readonly items: [{ readonly id: string }] }).items;
  const path = `/v1/repositories/${id}/runs/${run}/tasks/half/accept`;
  expect((await server.ask('POST', path, { token: operate, body: { snapshot } })).status).toBe(403);
  expect((await server.ask('POST', path, { token: approve, body: {} })).status).toBe(422);
  expect((await server.ask('POST', path, { token: approve, body: { snapshot: 'f'.repeat(40) } })).status).toBe(409);
  expect(await eventsOf(p, 'task-accepted')).toEqual([]);
  expect((await server.ask('POST', path, { token: approve, body: { snapshot } })).status).toBe(202);
  expect(await eventsOf(p, 'task-accepted')).toMatchObject([{ task: 'half', snapshot, by: { via: 'api' } }]);
}, 120_000);

describe('tidegate edit', () => {
  test('what a person leaves in the copy lands, their own changes outside of the scope included', async () => {
    await using p = await project({ plan: plan({ half: halfway }), files: { 'crlf.txt': 'one\r\ntwo\r\n' } });
    const run = await ran(p);
    const [left] = await eventsOf(p, 'attempt-ended');
    const edits = editor(p, 'echo whole > work.txt; echo mine > by-hand.txt; rm readme.md');
    expect(await ended(p.start(['edit', `${run}/half`], edits))).toMatchObject({ code: 0 });
    await p.cli('resume', run, '--json');
    expect(p.git('show', 'main:work.txt')).toBe('whole');
    expect(p.git('ls-tree', '--name-only', 'main').split('\n')).toEqual([
      'by-hand.txt',
      'crlf.txt',
      'plan.yaml',
      'work.txt',
    ]);
    const [edited] = await eventsOf(p, 'task-edited');
    expect(edited).toMatchObject({ task: 'half', from: left?.snapshot?.commit });
    expect(edited?.paths.toSorted()).toEqual(['by-hand.txt', 'readme.md', 'work.txt']);
    expect(p.git('log', '-1', '--format=%B', 'main')).toMatch(
      new RegExp(`^Tidegate-Edited-by: \\S.* ${edited?.from}\\.\\.${edited?.snapshot.commit}$`, 'm'),
    );
    expect(readdirSync(p.state().edits)).toEqual([]);
    expect(checkHistory(await p.events())).toEqual([]);
  }, 120_000);

  test('what cannot be taken of a person keeps the copy, and nothing is taken', async () => {
    await using p = await project({ plan: plan({ half: halfway }) });
    const run = await ran(p);
    const edited = await ended(p.start(['edit', `${run}/half`], editor(p, 'echo whole > work.txt; mkfifo pipe')));
    expect(edited).toMatchObject({ code: 1, stderr: expect.stringContaining('your changes are still in') });
    const [kept] = readdirSync(p.state().edits);
    expect(existsSync(join(p.state().edits, kept ?? '', 'files/pipe'))).toBe(true);
    expect(await eventsOf(p, 'task-edited')).toEqual([]);
  }, 120_000);

  test('no change takes nothing, an editor that fails takes nothing, and the agent is judged as before', async () => {
    const strays = scripted(`echo half > work.txt; echo x > stray.txt; ${partial}`, { owns: ['work.txt'] });
    await using p = await project({ plan: plan({ strays }) });
    const run = await ran(p);
    const by = (script: string) => ended(p.start(['edit', `${run}/strays`], editor(p, script)));
    expect(await by('true')).toMatchObject({ code: 0, stdout: expect.stringContaining('because you made no changes') });
    expect(await eventsOf(p, 'task-edited')).toEqual([]);
    const failed = await by('echo lost > work.txt; exit 3');
    expect(failed).toMatchObject({ code: 130, stderr: expect.stringContaining('nothing was taken') });
    const [kept] = readdirSync(p.state().edits);
    expect((await p.cli('clean')).stdout).toMatch(new RegExp(`^keep .* edits/${kept}: .*rm -r `, 'm'));
    expect(existsSync(join(p.state().edits, kept ?? '', 'files/work.txt'))).toBe(true);
    expect((await ended(p.start(['edit', `${run}/strays`], { CLAUDECODE: '1' }))).code).toBe(43);

    expect(await by('echo whole > work.txt')).toMatchObject({ code: 0 });
    await p.cli('resume', run, '--json');
    expect(await eventsOf(p, 'merged')).toEqual([]);
    expect((await p.cli('why', `${run}/strays`)).stdout).toContain(`tidegate grant ${run}/strays stray.txt`);
    expect(await by('rm stray.txt')).toMatchObject({ code: 0 });
    await p.cli('resume', run, '--json');
    expect(p.git('show', 'main:work.txt')).toBe('whole');
    expect(checkHistory(await p.events())).toEqual([]);
  }, 120_000);

  test('a secret that the agent left stays a finding, whatever else a person changes', async () => {
    const leaks = scripted(`printf 'k = "ghp_%036d"' 7 > leak.txt; echo half > work.txt; ${partial}`, {
      owns: ['leak.txt', 'work.txt'],
    });
    await using p = await project({ plan: plan({ leaks }) });
    const run = await ran(p);
    const by = (script: string) => ended(p.start(['edit', `${run}/leaks`], editor(p, script)));
    expect(await by('echo whole > work.txt')).toMatchObject({ code: 0 });
    await p.cli('resume', run, '--json');
    expect(await eventsOf(p, 'merged')).toEqual([]);
    expect(await by('echo clean > leak.txt')).toMatchObject({ code: 0 });
    await p.cli('resume', run, '--json');
    expect(p.git('show', 'main:leak.txt')).toBe('clean');
    expect(checkHistory(await p.events())).toEqual([]);
  }, 120_000);
});

test('rescue shows what people made of the work, and merged work that never landed, and each can be had', async () => {
  const strays = scripted(`echo x > stray.txt; echo fine > b.txt; tidegate handoff done -m done`, { owns: ['b.txt'] });
  await using p = await project({ plan: { ...plan({ half: halfway, strays }), land: 'ask' } });
  const { stdout } = await p.cli('run', 'plan.yaml', '--yes', '--json');
  const { run } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { run: string };
  const edits = editor(p, 'echo whole > work.txt');
  expect(await ended(p.start(['edit', `${run}/half`], edits))).toMatchObject({ code: 0 });
  expect(await p.cli('drop', `${run}/strays`, 'stray.txt')).toMatchObject({ code: 0 });
  await p.cli('resume', run, '--json');
  expect((await p.cli('abandon', run)).code).toBe(0);

  const { stdout: shown } = await p.cli('rescue', run);
  expect(shown.split('\n').filter((line) => /^\S/.test(line))).toEqual([
    expect.stringMatching(new RegExp(`^${run}\\.half\\.1 \\S+, its task is merged$`)),
    expect.stringMatching(new RegExp(`^${run}\\.strays\\.1 \\S+, its task is merged$`)),
    expect.stringMatching(new RegExp(`^${run}/strays \\S+, without the dropped paths \\(1\\)$`)),
    expect.stringMatching(new RegExp(`^${run}/half \\S+, edited by hand \\(1\\)$`)),
    expect.stringMatching(new RegExp(`^${run} \\S+, merged but not landed$`)),
  ]);
  for (const line of shown.split('\n').filter((one) => one.startsWith('  git '))) runOnly('sh', ['-ec', line], p.root);
  const has = (branch: string, path: string): string => p.git('show', `rescue/${run}-${branch}:${path}`);
  expect(has('half-1', 'work.txt')).toBe('half');
  expect(has('half-edited-1', 'work.txt')).toBe('whole');
  expect(has('strays-1', 'stray.txt')).toBe('x');
  expect(has('strays-dropped-1', 'b.txt')).toBe('fine');
  expect(() => has('strays-dropped-1', 'stray.txt')).toThrow();
  expect([has('merged', 'work.txt'), has('merged', 'b.txt')]).toEqual(['whole', 'fine']);
  const ofTask = JSON.parse((await p.cli('rescue', `${run}/half`, '--json')).stdout) as { snapshots: object[] };
  expect(ofTask.snapshots).toMatchObject([
    { kind: 'attempt', task: 'half', attempt: `${run}.half.1` },
    { kind: 'edited', task: 'half', number: 1 },
  ]);
}, 120_000);

describe('tidegate edit <run>', () => {
  test('a landing that conflicts is made to fit by hand, checked as it is then, and lands with both ids', async () => {
    const rewrites = scripted('echo theirs > shared.txt; echo new > more.txt; tidegate handoff done -m done', {
      owns: ['shared.txt', 'more.txt'],
    });
    const check = { name: 'sides', run: '! grep -q wrong shared.txt' };
    await using p = await project({
      plan: { land: 'ask', limits: { attempts: 1 }, checks: [check], tasks: { rewrites } },
      files: { 'shared.txt': 'base\n' },
    });
    const { stdout } = await p.cli('run', 'plan.yaml', '--yes', '--json');
    const { run } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { run: string };
    p.write('shared.txt', 'ours\n');
    p.git('commit', '-qam', 'ours');
    const ours = p.git('rev-parse', 'main');
    expect((await p.cli('land', run, '--json')).code).not.toBe(0);
    expect((await p.cli('why', run)).stdout).toContain(`tidegate edit ${run}`);

    const by = (script: string, env = {}) => ended(p.start(['edit', run], { ...editor(p, script), ...env }));
    expect((await by('true', { CLAUDECODE: '1' })).code).toBe(43);
    expect(await by('sed -i 1d shared.txt')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the conflict is not resolved in shared.txt'),
    });
    expect(await by('echo more >> more.txt')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the conflict is not resolved in shared.txt'),
    });
    const settled = await by('cat shared.txt; echo both > shared.txt');
    expect(settled).toMatchObject({ code: 0, stdout: expect.stringContaining(`tidegate land ${run}`) });
    expect(p.git('rev-parse', 'main')).toBe(ours);
    expect(await by('echo again > shared.txt')).toMatchObject({
      code: 2,
      stderr: `tidegate: edit: no landing of ${run} conflicts\n`,
    });
    expect((await p.cli('rescue', run)).stdout).toMatch(
      new RegExp(`^${run} \\S+, its landing as edited by hand \\(1\\)$`, 'm'),
    );

    expect((await p.cli('land', run, '--json')).code).toBe(0);
    expect(p.git('show', 'main:shared.txt')).toBe('both');
    expect(p.git('show', 'main:more.txt')).toBe('new');
    expect(p.git('rev-parse', 'main~1')).toBe(ours);
    const [edited] = await eventsOf(p, 'landing-edited');
    const message = p.git('log', '-1', '--format=%B', 'main');
    expect(message).toMatch(new RegExp(`^Tidegate-Edited-by: \\S.* ${edited?.from}\\.\\.${edited?.snapshot}$`, 'm'));
    expect(message).toContain('Tidegate-Task: rewrites');
    const tree = p.git('rev-parse', 'main^{tree}');
    const checked = (await eventsOf(p, 'check-ended')).filter((event) => event.purpose === 'land');
    expect(checked.map((event) => event.check)).toMatchObject([{ name: 'sides', tree, outcome: 'passed' }]);
    expect(checkHistory(await p.events())).toEqual([]);
    expect((await p.cli('undo', run, '--yes')).code).toBe(0);
    expect(p.git('show', 'main:shared.txt')).toBe('ours');
  }, 120_000);

  test('a file that cannot hold both sides lies there twice, and is taken only once the person chose', async () => {
    const script = [
      "printf 'theirs\\0' > logo.bin",
      'echo theirs > gone.txt',
      'rm kept.txt',
      'tidegate handoff done -m done',
    ].join('; ');
    const rewrites = scripted(script, { owns: ['logo.bin', 'gone.txt', 'kept.txt'] });
    await using p = await project({
      plan: { land: 'ask', limits: { attempts: 1 }, checks: [], tasks: { rewrites } },
      files: { 'logo.bin': 'base\0', 'gone.txt': 'base\n', 'kept.txt': 'base\n' },
    });
    const { stdout } = await p.cli('run', 'plan.yaml', '--yes', '--json');
    const { run } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { run: string };
    p.write('logo.bin', 'ours\0');
    p.write('kept.txt', 'ours\n');
    p.git('rm', '-q', 'gone.txt');
    p.git('commit', '-qam', 'ours');
    expect((await p.cli('land', run, '--json')).code).not.toBe(0);

    const by = (said: string) => ended(p.start(['edit', run], editor(p, said)));
    const [ours, theirs] = ['tidegate-branch', 'tidegate-run'];
    const untouched = await by('echo more > more.txt');
    expect(untouched.code).toBe(1);
    expect(untouched.stderr).toContain(
      `resolve the conflict in logo.bin: keep logo.bin.${ours} or logo.bin.${theirs} under that name, and remove the rest`,
    );
    expect(untouched.stderr).toContain(
      `resolve the conflict in gone.txt: keep gone.txt.${theirs} under that name, or remove it`,
    );
    expect(untouched.stderr).toContain(
      `resolve the conflict in kept.txt: keep kept.txt.${ours} under that name, or remove it`,
    );
    expect(untouched.stderr).toContain(
      `the conflict is not resolved in gone.txt.${theirs}, kept.txt.${ours}, logo.bin.${ours}, logo.bin.${theirs}`,
    );
    const chosen = [
      `mv logo.bin.${theirs} logo.bin`,
      `rm logo.bin.${ours} gone.txt.${theirs}`,
      `mv kept.txt.${ours} kept.txt`,
    ];
    expect(await by(chosen.join('; '))).toMatchObject({ code: 0 });
    expect((await p.cli('land', run, '--json')).code).toBe(0);
    expect(p.git('ls-tree', '--name-only', 'main', 'logo.bin', 'gone.txt', 'kept.txt').split('\n')).toEqual([
      'kept.txt',
      'logo.bin',
    ]);
    expect([p.git('show', 'main:kept.txt'), p.git('show', 'main:logo.bin')]).toEqual(['ours', 'theirs\0']);
    expect(checkHistory(await p.events())).toEqual([]);
  }, 120_000);
});
