import { describe, expect, test } from 'vitest';
import { checkHistory } from '../support/checker.ts';
import { listenTo, openGate } from '../support/gate.ts';
import { gitFacts } from '../support/kill.ts';
import { type Ended, ended, handoff, type Project, project, scripted } from '../support/project.ts';

const writes = (name: string) => scripted(`echo ${name} > ${name}.txt; ${handoff}`, { owns: [`${name}.txt`] });
const commit = (p: Project, path: string, text: string): string => {
  p.write(path, text);
  p.git('add', '-A');
  p.git('commit', '-q', '-m', `person: ${path}`);
  return p.git('rev-parse', 'main');
};
const ran = async (p: Project, file = 'plan.yaml'): Promise<string> => {
  const { code, stdout } = await p.cli('run', file, '--yes', '--land', '--json');
  expect(code).toBe(0);
  return (JSON.parse(stdout) as { run: string }).run;
};
const documentOf = ({ stdout }: Ended) => JSON.parse(stdout) as Record<string, unknown>;
const count = async (p: Project, type: string) => (await p.events()).filter(({ event }) => event.type === type).length;
const filesOf = (p: Project): string => p.git('ls-tree', '-r', '--name-only', 'main').split('\n').join(' ');

test('reverts whose check fails move nothing and say what to type; mended, they land; a second undo says so', async () => {
  const checks = [{ name: 'whole', run: 'test ! -f needs-one.txt || { echo one is needed; test -f one.txt; }' }];
  await using p = await project({ plan: { checks, tasks: { one: writes('one') } } });
  const run = await ran(p);
  const landed = p.git('rev-parse', 'main');
  const theirs = commit(p, 'needs-one.txt', 'yes\n');

  const refused = await p.cli('undo', '--yes', run);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`without ${run}, the check whole fails on main`),
    stdout: expect.stringContaining('check whole after the revert: failed'),
  });
  expect(refused.stderr).toContain(`to revert anyway: git revert ${landed}`);
  expect([p.git('rev-parse', 'main'), p.git('status', '--porcelain')]).toEqual([theirs, '']);
  expect((await p.cli('logs', run, '--check', 'whole')).stdout).toContain('one is needed');
  expect(await count(p, 'request-refused')).toBe(1);

  commit(p, 'needs-one.txt', 'no\n');
  p.git('rm', '-q', 'needs-one.txt');
  p.git('commit', '-q', '-m', 'no longer');
  expect(await p.cli('undo', '--yes', run)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Undone: ${run}.`),
  });
  expect(filesOf(p)).toBe('plan.yaml readme.md');
  expect(p.git('log', '-1', '--format=%s')).toBe('Revert "Do what the script does."');
  expect((await p.cli('status', run)).stdout).toContain('Undone: main has the reverting commit');

  const events = (await p.events()).length;
  expect(await p.cli('undo', '--yes', run)).toMatchObject({ code: 0, stdout: `Already undone: ${run}.\n` });
  expect((await p.events()).length).toBe(events);
  expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
}, 120_000);

test('of a run that landed wave by wave one task is taken out, with another run landed since; then the rest', async () => {
  const checks = [{ name: 'present', run: 'test -f readme.md' }];
  const waves = [{ tasks: { one: writes('one') } }, { tasks: { two: writes('two') } }];
  const later = { checks, tasks: { three: writes('three') } };
  await using p = await project({
    plan: { land: 'wave', checks, waves },
    files: { 'later.yaml': JSON.stringify(later) },
  });
  const first = await ran(p);
  expect(await p.cli('land', first)).toMatchObject({ code: 0, stdout: `Already landed: ${first}.\n` });
  await ran(p, 'later.yaml');
  expect(filesOf(p)).toBe('later.yaml one.txt plan.yaml readme.md three.txt two.txt');

  const taken = await p.cli('undo', '--yes', `${first}/one`);
  expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining('check present after the revert: passed') });
  expect(filesOf(p)).toBe('later.yaml plan.yaml readme.md three.txt two.txt');
  expect(await p.cli('undo', '--yes', `${first}/one`, '--json')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"already-undone"'),
  });
  expect(await p.cli('undo', '--yes', first)).toMatchObject({ code: 0 });
  expect(filesOf(p)).toBe('later.yaml plan.yaml readme.md three.txt');
  expect(p.git('status', '--porcelain')).toBe('');
  expect([await count(p, 'undone'), await count(p, 'undo-prepared')]).toEqual([2, 2]);
  expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
}, 120_000);

test('while its checks run, every view says what an undo waits for, and a killed coordinator costs nothing', async () => {
  using gate = openGate();
  const checks = [{ name: 'slow', run: gate.waitsFor('theirs.txt') }];
  await using p = await project({ plan: { checks, tasks: { one: writes('one') } } });
  gate.showTo(p);
  const run = await ran(p);
  const theirs = commit(p, 'theirs.txt', '1');
  await using events = await listenTo(p);
  const prepared = events.next('undo-prepared');
  const undoing = ended(p.start(['undo', run, '--yes']));
  await prepared;

  const waits = `running the check slow on the commits that revert ${run}`;
  expect((await p.cli('status', run)).stdout).toContain(`undo: ${waits}`);
  expect((await p.cli('status', '--all')).stdout).toContain(`undo: ${waits}`);
  expect((await p.cli('why', run)).stdout).toMatch(new RegExp(`undo: ${waits}.*\n(?:.*\n)*?.*tidegate watch ${run}`));
  expect(documentOf(await p.cli('status', run, '--json'))['undo']).toEqual({ task: null, onto: theirs, check: 'slow' });
  expect(p.git('rev-parse', 'main')).toBe(theirs);
  const watching = ended(p.start(['watch', run]));

  await events.killCoordinator();
  gate.letThrough('1');
  const { code, stdout } = await undoing;
  expect(code).toBe(0);
  expect(stdout.split('\n')).toEqual([
    `undo: prepared commits that revert the run on ${theirs.slice(0, 8)}; running the checks`,
    'check slow after the revert: passed',
    `Undone: ${run}.`,
    '',
  ]);
  expect([await count(p, 'undone'), await count(p, 'undo-prepared')]).toEqual([1, 1]);
  expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
  expect(await watching).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Undone: main has the reverting commit'),
  });
  expect(documentOf(await p.cli('status', run, '--json'))['undo']).toBeNull();
}, 120_000);

describe('a branch that moves every time', () => {
  /** Whenever something is built on the branch, the person commits once more before its check is let through. */
  const restless = async (p: Project, gate: ReturnType<typeof openGate>, type: 'landing-rebuilt' | 'undo-prepared') => {
    let times = 0;
    commit(p, 'theirs.txt', '1');
    return await listenTo(p, (event) => {
      if (event.type !== type) return;
      times += 1;
      commit(p, 'theirs.txt', `${times + 1}`);
      gate.letThrough(`${times}`);
    });
  };

  test('is landed on after three rebuilds by nobody: exit 43, told why; when it rests, it lands (G5)', async () => {
    using gate = openGate();
    const checks = [{ name: 'slow', run: gate.waitsFor('theirs.txt') }];
    await using p = await project({ plan: { checks, tasks: { one: writes('one') } } });
    gate.showTo(p);
    const asked = await p.cli('run', 'plan.yaml', '--yes', '--json');
    expect(asked.code).toBe(43);
    const run = String(documentOf(asked)['run']);
    {
      await using _ = await restless(p, gate, 'landing-rebuilt');
      const told = await p.cli('land', run, '--json');
      expect(told.code).toBe(43);
      expect(documentOf(told)).toMatchObject({
        reason: 'landing',
        needs: [
          { kind: 'landing', message: 'main moved 3 times while the checks ran', command: `tidegate land ${run}` },
        ],
      });
    }
    expect(await count(p, 'landing-rebuilt')).toBe(3);
    expect([p.git('show', 'main:theirs.txt'), p.git('status', '--porcelain')]).toEqual(['4', '']);
    expect(filesOf(p)).not.toContain('one.txt');
    gate.letThrough('4');
    expect(await p.cli('land', run)).toMatchObject({ code: 0 });
    expect(p.git('show', 'main:one.txt')).toBe('one');
  }, 120_000);

  test('is reverted on after three preparations by nobody, and the person is told both ways out', async () => {
    using gate = openGate();
    const checks = [{ name: 'slow', run: gate.waitsFor('theirs.txt') }];
    await using p = await project({ plan: { checks, tasks: { one: writes('one') } } });
    gate.showTo(p);
    const run = await ran(p);
    const landed = p.git('rev-parse', 'main');
    {
      await using _ = await restless(p, gate, 'undo-prepared');
      const { code, stderr } = await p.cli('undo', '--yes', run);
      expect(code).toBe(1);
      expect(stderr).toContain('main moved 3 times while the checks ran');
      expect(stderr).toContain(
        `to revert by hand: git revert ${landed}; wait until nobody is pushing to main, then run: tidegate undo ${run}`,
      );
    }
    expect([await count(p, 'undo-prepared'), await count(p, 'undo-intended')]).toEqual([3, 0]);
    expect([p.git('show', 'main:theirs.txt'), p.git('show', 'main:one.txt')]).toEqual(['4', 'one']);
    gate.letThrough('4');
    expect(await p.cli('undo', '--yes', run)).toMatchObject({ code: 0 });
    expect(filesOf(p)).toBe('plan.yaml readme.md theirs.txt');
    expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
  }, 120_000);
});
