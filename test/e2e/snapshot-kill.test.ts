import { spawnSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { git } from '../../src/adapters/git-process/index.ts';
import { tempRepo } from '../support/temp-repo.ts';

const folders = ['bare-repository', 'workspace', 'snapshot'];
const failpoints = folders
  .flatMap((folder) => globSync(`src/adapters/${folder}/*.ts`))
  .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\bfailpoint\('([a-z0-9-]+)'\)/g)])
  .map((match) => match[1] ?? '')
  .sort();

const step = (...args: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, '../support/git-step.ts'), ...args], { encoding: 'utf8' });

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
      expect(readdirSync(join(repo.home, 'state')).sort()).toEqual(['jobs', 'repo.git']);
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
