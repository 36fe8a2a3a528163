import { describe, expect, test } from 'vitest';
import { checkHistory } from '../support/checker.ts';
import { gitFacts, killAt, type Scenario } from '../support/kill.ts';
import { handoff, type Project, project, scripted } from '../support/project.ts';

const writes = (name: string, more: object = {}) =>
  scripted(`echo ${name} > ${name}.txt; ${handoff}`, { owns: [`${name}.txt`], ...more });
const appends = (line: string) => scripted(`echo ${line} >> list.txt; ${handoff}`, { owns: ['list.txt'] });
const checks = [{ name: 'whole', run: 'test ! -f two.txt || test -f one.txt' }];

const filesOf = (p: Project): string =>
  p
    .git('ls-tree', '-r', '--name-only', 'main')
    .split('\n')
    .filter((name) => name.endsWith('.txt'))
    .join(' ');
const ordered = async (p: Project): Promise<string> => {
  const { code, stdout } = await p.cli('run', 'plan.yaml', '--yes', '--json');
  expect(code).toBe(43);
  return (JSON.parse(stdout) as { run: string }).run;
};
const landChecks = async (p: Project) =>
  (await p.events()).flatMap(({ event }) =>
    event.type === 'check-ended' && event.purpose === 'land' ? [event.check.tree] : [],
  );
const sound = async (p: Project) => expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);

test('all but one task lands, checked as it is; what needs it stays too; the rest lands later, and all of it is undone', async () => {
  const plan = {
    checks,
    tasks: { one: writes('one'), two: writes('two', { needs: ['one'] }), three: writes('three') },
  };
  await using p = await project({ plan });
  const run = await ordered(p);
  const before = p.git('rev-parse', 'main');

  expect(await p.cli('land', run, '--only', 'two')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('two needs one: land both or neither'),
  });
  expect(await p.cli('land', run, '--only', 'four')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${run} has no task "four"; its tasks are one, two, three`),
  });
  const landed = await p.cli('land', run, '--except', 'one');
  expect(landed).toMatchObject({ code: 0, stdout: expect.stringContaining('two is left out too: it needs one.') });
  expect(landed.stdout).toContain(`one, two stayed on the run branch: tidegate land ${run}`);
  expect([filesOf(p), p.git('status', '--porcelain')]).toEqual(['three.txt', '']);
  expect(await landChecks(p)).toEqual([p.git('rev-parse', 'main^{tree}')]);
  expect((await p.cli('status', run)).stdout).toContain('one, two stayed on the run branch');
  expect(await p.cli('undo', '--yes', `${run}/one`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('one has not landed'),
  });
  expect((await p.cli('clean', '--dry-run')).stdout).toMatch(new RegExp(`keep .*${run}.one.1: merged, not landed yet`));

  expect(await p.cli('land', run, '--only', 'three')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('three has already landed'),
  });
  expect(await p.cli('land', run)).toMatchObject({ code: 0 });
  expect([filesOf(p), p.git('status', '--porcelain')]).toEqual(['one.txt three.txt two.txt', '']);
  expect(await p.cli('land', run)).toMatchObject({ code: 0, stdout: `Already landed: ${run}.\n` });
  await sound(p);

  expect(await p.cli('undo', '--yes', run)).toMatchObject({ code: 0 });
  expect([p.git('rev-parse', 'main'), filesOf(p)]).toEqual([before, '']);
  expect(await p.cli('land', run, '--only', 'one')).toMatchObject({ code: 0 });
  expect(filesOf(p)).toBe('one.txt');
  await sound(p);
}, 120_000);

test('tasks that do not fit or do not pass alone move nothing; another choice lands', async () => {
  const waves = [
    { tasks: { one: writes('one'), first: appends('first') } },
    { tasks: { two: writes('two'), second: appends('second') } },
  ];
  await using p = await project({ plan: { checks, waves }, files: { 'list.txt': 'zero\n' } });
  const run = await ordered(p);
  const before = p.git('rev-parse', 'main');

  const conflict = await p.cli('land', run, '--only', 'second', '--json');
  expect(conflict.code).toBe(43);
  expect(JSON.parse(conflict.stdout)).toMatchObject({
    needs: [{ message: expect.stringContaining('list.txt'), command: `tidegate land ${run} --only second` }],
  });
  expect((await p.cli('conflicts', run)).stdout).toContain('list.txt');
  const red = await p.cli('land', run, '--only', 'two');
  expect(red).toMatchObject({
    code: 43,
    stdout: expect.stringContaining('the check whole fails on main with only two'),
  });
  expect([p.git('rev-parse', 'main'), p.git('status', '--porcelain')]).toEqual([before, '']);

  expect(await p.cli('land', run, '--except', 'second')).toMatchObject({ code: 0 });
  expect([filesOf(p), p.git('show', 'main:list.txt')]).toEqual(['list.txt one.txt two.txt', 'zero\nfirst']);
  p.write('theirs.txt', 'theirs\n');
  p.git('add', '-A');
  p.git('commit', '-q', '-m', 'meanwhile');
  expect(await p.cli('land', run)).toMatchObject({ code: 0 });
  expect(p.git('show', 'main:list.txt')).toBe('zero\nfirst\nsecond');
  expect(await p.cli('undo', '--yes', `${run}/second`)).toMatchObject({ code: 0 });
  expect([filesOf(p), p.git('show', 'main:list.txt')]).toEqual(['list.txt one.txt theirs.txt two.txt', 'zero\nfirst']);
  await sound(p);
}, 120_000);

test('a round with generated files lands as a whole', async () => {
  const plan = { generated: { 'list.txt': 'ls *.txt > list.txt' }, tasks: { one: writes('one'), two: writes('two') } };
  await using p = await project({ plan });
  const run = await ordered(p);
  expect(await p.cli('land', run, '--only', 'one')).toMatchObject({
    code: 43,
    stdout: expect.stringContaining('the generated files were rebuilt with two, which is left out'),
  });
  expect(await p.cli('land', run)).toMatchObject({ code: 0 });
  expect(filesOf(p)).toBe('list.txt one.txt two.txt');
  await sound(p);
}, 120_000);

describe('killed half way, a landing of one task is finished by the next coordinator:', () => {
  const scenario: Scenario = {
    name: 'one task of two landed',
    plan: { checks, tasks: { one: writes('one'), two: writes('two') } },
    before: async (p) => void (await p.cli('run', 'plan.yaml', '--yes', '--json')),
    during: ['land', 'RUN', '--only', 'one', '--json'],
    files: ['one.txt', 'plan.yaml', 'readme.md'],
    ended: 'done',
  };
  test.each(['merger-rebuild-kept', 'merger-landing-tree-switched'])(
    'at %s',
    async (failpoint) => {
      expect(await killAt(scenario, failpoint, 1)).toEqual({ reached: true, problems: [] });
    },
    120_000,
  );
});

test('land right after the last decision waits for the merge that the decision has started', async () => {
  const slow = [{ name: 'slow', run: 'test ! -f one.txt || sleep 2' }];
  const bad = scripted('exit 1', { owns: ['bad.txt'] });
  const limits = { attempts: 1 };
  await using p = await project({
    plan: { partial: 'hold', checks: slow, limits, tasks: { one: writes('one'), bad } },
  });
  const run = await ordered(p);
  expect(await p.cli('drop', `${run}/bad`)).toMatchObject({ code: 0 });
  // 3: a task was dropped
  expect(await p.cli('land', run)).toMatchObject({ code: 3, stderr: '' });
  expect(filesOf(p)).toBe('one.txt');
  await sound(p);
});
