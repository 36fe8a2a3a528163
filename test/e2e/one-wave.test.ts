import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkHistory } from '../support/checker.ts';
import { gitFacts } from '../support/kill.ts';
import { handoff, type Project, project, scripted } from '../support/project.ts';

test('`--wave` runs one wave after the other, and needs of an earlier wave are what has landed', async () => {
  const one = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
  const two = scripted(`cat one.txt > two.txt; ${handoff}`, { owns: ['two.txt'], needs: ['one'] });
  await using p = await project({ plan: { land: 'auto', waves: [{ tasks: { one } }, { tasks: { two } }] } });

  const skipped = await p.cli('run', 'plan.yaml', '--wave', '2', '--yes', '--json');
  expect([skipped.code, p.git('ls-files')]).toEqual([2, 'plan.yaml\nreadme.md']);

  const first = await p.cli('run', 'plan.yaml', '--wave', '1', '--yes', '--json');
  expect(first.code).toBe(0);
  expect(p.git('ls-files')).toBe('one.txt\nplan.yaml\nreadme.md');
  expect((await p.cli('run', 'plan.yaml', '--wave', '2', '--yes', '--json')).code).toBe(0);
  expect(p.git('show', 'main:two.txt')).toBe('one');
}, 120_000);

test('people count waves from 1; JSON and the ledger count from 0', async () => {
  const one = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
  await using p = await project({ plan: { land: 'auto', waves: [{ tasks: { one } }] } });
  const run = (number: string) => p.cli('run', 'plan.yaml', '--wave', number, '--yes');

  const zero = await run('0');
  expect([zero.code, zero.stderr]).toEqual([2, 'tidegate: run: waves count from 1; the first wave is --wave 1\n']);
  expect((await run('2')).code).toBe(2);
  expect(existsSync(`${p.root}/state`)).toBe(false);

  const first = await run('1');
  expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('wave 1: merged one')]);
  expect(first.stdout).not.toContain('wave 0');
  const ordered = (await p.events()).flatMap(({ event }) => (event.type === 'requested-run' ? [event.wave] : []));
  expect(ordered).toEqual([0]);
  const shown = JSON.parse((await p.cli('show', '--json')).stdout) as { waves: { index: number }[] };
  expect(shown.waves.map(({ index }) => index)).toEqual([0]);
}, 120_000);

const a = scripted(`echo a > a.txt; ${handoff}`, { owns: ['a.txt'] });
const b = scripted(`cp a.txt b.txt; ${handoff}`, { owns: ['b.txt'], needs: ['a'] });
const waves = [{ tasks: { a } }, { tasks: { b } }];
const wave = (p: Project, number: number, ...more: string[]) =>
  p.cli('run', 'plan.yaml', '--wave', String(number), '--yes', '--json', ...more);
const refusal = (stdout: string) => {
  const { exit, findings } = JSON.parse(stdout) as { exit: number; findings: { rule: string; fix: string }[] };
  return { exit, rules: findings.map(({ rule, fix }) => [rule, fix]) };
};

test('F3: with `land: branch` a wave goes on from the branch of the run before it, and says so', async () => {
  await using p = await project({ plan: { land: 'branch', waves } });
  const first = JSON.parse((await wave(p, 1)).stdout);
  expect([first.exit, p.git('ls-files')]).toEqual([0, 'plan.yaml\nreadme.md']);
  const dry = await p.cli('run', 'plan.yaml', '--wave', '2', '--dry-run');
  expect(dry.stdout).toContain(`continues from tidegate/${first.run}`);
  const second = JSON.parse((await wave(p, 2)).stdout);
  expect(second.exit).toBe(0);
  expect(p.git('show', `tidegate/${second.run}:b.txt`)).toBe('a');
  expect(p.git('rev-parse', `tidegate/${second.run}~1`)).toBe(p.git('rev-parse', `tidegate/${first.run}`));
  expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
}, 120_000);

test('F3: a wave that was undone is missing, is named with the command, and can be run again', async () => {
  await using p = await project({ plan: { land: 'auto', waves } });
  const first = JSON.parse((await wave(p, 1)).stdout);
  expect((await p.cli('undo', first.run, '--yes', '--json')).code).toBe(0);
  expect(p.git('ls-files')).toBe('plan.yaml\nreadme.md');
  expect(refusal((await wave(p, 2)).stdout)).toEqual({
    exit: 2,
    rules: [['wave-missing', 'tidegate run plan.yaml --wave 1']],
  });
  expect((await wave(p, 1)).code).toBe(0);
  expect((await wave(p, 2)).code).toBe(0);
  expect(p.git('show', 'main:b.txt')).toBe('a');
}, 120_000);

test('F3: a task that was dropped is missing for the wave that needs it, and for no other', async () => {
  const stuck = scripted('exit 1', { owns: ['a.txt'] });
  const later = [{ tasks: { a: stuck } }, { tasks: { b } }];
  for (const [needs, rules] of [
    [['a'], [['wave-missing', 'tidegate run plan.yaml --wave 1']]],
    [[], null],
  ] as const) {
    const plan = { land: 'auto', limits: { attempts: 1 }, waves: [later[0], { tasks: { b: { ...b, needs } } }] };
    await using p = await project({ plan, files: { 'a.txt': 'mine\n' } });
    const first = JSON.parse((await wave(p, 1)).stdout);
    expect(first.exit).toBe(43);
    expect((await p.cli('drop', `${first.run}/a`, '--json')).code).toBe(0);
    await p.cli('resume', first.run, '--json');
    const second = await wave(p, 2);
    if (rules === null) expect(second.code).toBe(0);
    else expect(refusal(second.stdout)).toEqual({ exit: 2, rules });
  }
}, 180_000);

test('F3: what landed rebuilt, or by itself, counts by the commits that are on the branch', async () => {
  const c = scripted(`echo c > c.txt; ${handoff}`, { owns: ['c.txt'] });
  const plan = { land: 'ask', waves: [{ tasks: { a, c } }, { tasks: { b } }] };
  await using p = await project({ plan });
  const { run } = JSON.parse((await wave(p, 1)).stdout);
  p.git('commit', '--quiet', '--allow-empty', '-m', 'meanwhile');
  expect(refusal((await wave(p, 2)).stdout).rules).toEqual([['wave-missing', `tidegate land ${run}`]]);
  expect((await p.cli('land', run, '--only', 'a', '--json')).code).toBe(0);
  expect(refusal((await wave(p, 2)).stdout).rules).toEqual([['wave-missing', `tidegate land ${run}`]]);
  expect((await p.cli('land', run, '--json')).code).toBe(0);
  const landed = (await p.events()).flatMap(({ event }) => (event.type === 'landed' ? event.commits : []));
  expect(landed.map(({ task }) => task)).toEqual(['a', 'c']);
  expect(
    landed.map(({ commit }) => p.git('log', '-1', '--format=%(trailers:key=Tidegate-Task,valueonly)', commit)),
  ).toEqual(['a', 'c']);
  expect((await wave(p, 2, '--land')).code).toBe(0);
  expect(p.git('show', 'main:b.txt')).toBe('a');
}, 180_000);
