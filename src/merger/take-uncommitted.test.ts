import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type TempRepo, tempRepo } from '../../test/support/temp-repo.ts';
import { type CommitId, runId } from '../domain/base/ids.ts';
import { refs, stateDir } from '../domain/ledger/state-dir.ts';
import { takeUncommitted } from './take-uncommitted.ts';

const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' };
const run = runId('demo-ab12');
const files = { '.gitignore': 'log/\n', 'a.txt': 'a\n', 'b.txt': 'b\n', 'sub/c.txt': 'c\n' };

async function scene() {
  const repo = await tempRepo();
  const base = repo.commit('first', files);
  const repository = await repo.bare(base);
  const order = { state: stateDir(repo.home), checkout: repo.path, env, run };
  const bare = (...args: string[]) => repo.git(`--git-dir=${repository}`, ...args);
  return { repo, base, bare, take: (branch = 'main') => takeUncommitted(order, { branch, commit: base }) };
}

const changesOf = (bare: (...args: string[]) => string, base: CommitId, commit: CommitId | null) =>
  bare('diff-tree', '-r', '--no-renames', '--name-status', base, commit ?? '').split('\n');

const ignoreToo = (repo: TempRepo) => repo.write('.git/info/exclude', 'private.txt\n');

test('what no commit holds becomes a commit on the branch: new, changed and deleted files, and nothing that is ignored', async () => {
  const { repo, base, bare, take } = await scene();
  await using _ = repo;
  ignoreToo(repo);
  repo.write('a.txt', 'mine\n');
  repo.write('new/d.txt', 'd\n');
  repo.write('log/noise.txt', 'ignored\n');
  repo.write('private.txt', 'ignored, too\n');
  repo.git('rm', '--quiet', 'b.txt');
  const taken = await take();
  if (!taken.ok) throw new Error('refused');
  expect(changesOf(bare, base, taken.value)).toEqual(['M\ta.txt', 'D\tb.txt', 'A\tnew/d.txt']);
  expect(bare('rev-parse', `${taken.value}^`, refs.uncommitted(run)).split('\n')).toEqual([base, taken.value]);
  expect(await take()).toEqual(taken);
});

test('no filter of the person runs, and bytes are taken as they are', async () => {
  const { repo, base, bare, take } = await scene();
  await using _ = repo;
  repo.git('config', 'filter.loud.clean', `touch ${repo.home}/filter-ran; cat`);
  repo.write('.gitattributes', '*.txt filter=loud\n');
  repo.write('a.txt', 'mine\r\n');
  const taken = await take();
  if (!taken.ok) throw new Error('refused');
  expect(changesOf(bare, base, taken.value)).toEqual(['A\t.gitattributes', 'M\ta.txt']);
  expect(bare('cat-file', '-s', `${taken.value}:a.txt`)).toBe('6');
  expect(existsSync(`${repo.home}/filter-ran`)).toBe(false);
});

test('a secret refuses it by name and never by value, and so does another branch; a clean checkout is taken as it is', async () => {
  const { repo, take } = await scene();
  await using _ = repo;
  expect(await take()).toEqual({ ok: true, value: null });
  const token = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
  repo.write('deploy.env', `TOKEN=${token}\n`);
  const refused = await take();
  expect(refused).toMatchObject({
    ok: false,
    error: {
      rule: 'uncommitted-refused',
      findings: [{ rule: 'secret-shape', shape: 'github-pat', where: 'deploy.env' }],
    },
  });
  expect(JSON.stringify(refused)).not.toContain(token);
  expect(await take('other')).toMatchObject({ ok: false, error: { rule: 'uncommitted-unfit', branch: 'main' } });
});
