import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { git } from '../../src/adapters/git/process/index.ts';
import { tempRepo } from '../support/temp-repo.ts';

const folders = ['git/bare', 'workspace', 'snapshot'];
const failpoints = folders
  .flatMap((folder) => globSync(`src/adapters/${folder}/*.ts`))
  .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\bfailpoint\('([a-z0-9-]+)'\)/g)])
  .map((match) => match[1] ?? '')
  .sort();

const gitStep = join(import.meta.dirname, '../support/git-step.ts');
const step = (...args: string[]) => spawnSync(process.execPath, [gitStep, ...args], { encoding: 'utf8' });

describe('killed at any point and started again, an attempt has the same snapshot:', () => {
  test('there are points to kill at', () => expect(failpoints.length).toBeGreaterThanOrEqual(8));

  for (const failpoint of failpoints) {
    test(failpoint, async () => {
      await using repo = await tempRepo();
      repo.commit('packed', { a: '1', 'd/b': '2' });
      repo.git('gc', '--quiet');
      const commit = repo.commit('loose', { a: '3' });
      const repository = join(repo.home, 'state/repo.git');
      const directory = join(repo.home, 'state/jobs/workspace');
      const places = [join(repo.path, '.git'), repository, directory, commit];
      const killed = step(failpoint, ...places);
      expect(killed.signal).toBe('SIGKILL');
      const again = step('', ...places);
      expect({ ...again, stderr: again.stderr }).toMatchObject({ status: 0, stderr: '' });
      expect(JSON.parse(again.stdout)).toMatchObject({ base: commit, diff: [], refused: [] });
      await git({ gitDir: repository, args: ['fsck', '--strict', '--full'] });
      expect(readdirSync(join(repo.home, 'state')).sort()).toEqual(['jobs', 'repo.git', 'stores']);
      writeFileSync(join(directory, 'work'), 'w');
      expect(JSON.parse(step('', ...places).stdout).diff).toHaveLength(1);
    });
  }
});

test('a lock that a killed git left does not stop the next snapshot', async () => {
  await using repo = await tempRepo();
  const commit = repo.commit('base', { a: '1' });
  const repository = join(repo.home, 'repo.git');
  const places = [join(repo.path, '.git'), repository, join(repo.home, 'job/workspace'), commit];
  step('', ...places);
  writeFileSync(join(repository, 'refs/tidegate/attempts/a.b.1.lock'), '');
  writeFileSync(join(repo.home, 'job/workspace/new'), 'n');
  expect(step('', ...places).status).toBe(0);
});

/** As root, and only where another user can read this checkout. */
const canBeOther =
  process.getuid?.() === 0 && spawnSync('test', ['-r', gitStep], { uid: 65534, gid: 65534 }).status === 0;

test.runIf(canBeOther)('what we may not read is refused by name, and does not count as deleted', async () => {
  await using repo = await tempRepo();
  const commit = repo.commit('base', { 'shut/a': '1', 'listed/b': '2', c: '3' });
  const places = [join(repo.path, '.git'), join(repo.home, 'repo.git'), join(repo.home, 'job/workspace'), commit];
  execFileSync('chown', ['-R', '65534:65534', repo.home]);
  const asOther = { encoding: 'utf8', uid: 65534, gid: 65534 } as const;
  const other = () => spawnSync(process.execPath, [gitStep, '', ...places], asOther);
  expect(other().status).toBe(0);
  const workspace = join(repo.home, 'job/workspace');
  chmodSync(join(workspace, 'shut'), 0);
  chmodSync(join(workspace, 'listed'), 0o404);
  chmodSync(join(workspace, 'c'), 0);
  // files of our own would be opened
  for (const path of ['shut', 'listed', 'c']) chownSync(join(workspace, path), 0, 0);
  const taken = JSON.parse(other().stdout);
  expect(taken.diff).toEqual([]);
  expect(taken.refused.map((finding: { where: string }) => finding.where).sort()).toEqual(['c', 'listed/b', 'shut']);
});
