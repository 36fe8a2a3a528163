import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AdoptionFailed, adoptCommit, ensureBareRepository } from '../../src/adapters/git/bare/index.ts';
import { git, gitLine } from '../../src/adapters/git/process/index.ts';
import { gitReader, inspectRepository, listTree } from '../../src/adapters/git/read/index.ts';
import { type CommitId, commitId } from '../../src/domain/base/ids.ts';
import { type TempRepo, tempRepo } from '../support/temp-repo.ts';

const settingsOf = async (gitDir: string, key: string) =>
  gitLine({ gitDir, args: ['config', '--local', '--get', key] });

/** Whole and alone: every object is there although the person's repository is gone. */
async function expectWhole(repository: string, repo: TempRepo, commit: CommitId): Promise<void> {
  renameSync(repo.path, `${repo.path}.gone`);
  await git({ gitDir: repository, args: ['rev-list', '--objects', '--quiet', commit] });
  await git({ gitDir: repository, args: ['fsck', '--full', '--strict', commit] });
  renameSync(`${repo.path}.gone`, repo.path);
  expect(existsSync(join(repository, 'objects/info/alternates'))).toBe(false);
}

describe('our bare repository', () => {
  test('is private, durable, without hooks and remotes, and merges as text', async () => {
    await using repo = await tempRepo();
    const repository = await repo.bare(repo.commit('base', { a: '1' }));
    expect(lstatSync(repository).mode & 0o777).toBe(0o700);
    expect(await settingsOf(repository, 'core.fsync')).toBe('all');
    expect(await settingsOf(repository, 'core.bare')).toBe('true');
    expect(await settingsOf(repository, 'gc.auto')).toBe('0');
    expect(readFileSync(join(repository, 'info/attributes'), 'utf8')).toBe('* merge=text\n');
    expect(existsSync(join(repository, 'hooks'))).toBe(false);
    expect(await gitLine({ gitDir: repository, args: ['remote'] })).toBe('');
  });

  test('is made once: again and at the same time changes nothing', async () => {
    await using repo = await tempRepo();
    repo.commit('base', { a: '1' });
    const place = join(repo.home, 'repo.git');
    await ensureBareRepository(place, join(repo.path, '.git'));
    const inode = lstatSync(place).ino;
    await ensureBareRepository(place, join(repo.path, '.git'));
    expect(lstatSync(place).ino).toBe(inode);
    expect(readdirSync(repo.home).sort()).toEqual(['checkout', 'repo.git']);
  });

  test('is refused when something else is in its place', async () => {
    await using repo = await tempRepo();
    repo.commit('base', { a: '1' });
    const place = join(repo.home, 'repo.git');
    execFileSync('git', ['init', '--quiet', '--bare', place]);
    await expect(ensureBareRepository(place, join(repo.path, '.git'))).rejects.toThrow('was not created by Tidegate');
  });
});

describe('adopting a commit', () => {
  for (const objectFormat of ['sha1', 'sha256'] as const) {
    test(`takes loose and packed objects alike (${objectFormat})`, async () => {
      await using repo = await tempRepo({ objectFormat });
      repo.commit('packed', { a: '1', 'dir/b': '2' });
      repo.git('gc', '--quiet');
      const commit = repo.commit('loose', { a: '3' });
      const repository = await repo.bare(commit);
      await expectWhole(repository, repo, commit);
      const packs = readdirSync(join(repo.path, '.git/objects/pack')).filter((name) => name.endsWith('.pack'));
      expect(packs.map((name) => lstatSync(join(repository, 'objects/pack', name)).nlink)).toEqual([2]);
    });
  }

  test('again takes only what is new', async () => {
    await using repo = await tempRepo();
    const repository = await repo.bare(repo.commit('one', { a: '1' }));
    const second = repo.commit('two', { a: '2' });
    await repo.bare(second);
    await repo.bare(second);
    await expectWhole(repository, repo, second);
  });

  test('survives that the person repacks and prunes', async () => {
    await using repo = await tempRepo();
    const first = repo.commit('one', { a: '1' });
    repo.git('gc', '--quiet');
    const repository = await repo.bare(first);
    repo.git('commit', '--quiet', '--amend', '-m', 'rewritten');
    repo.git('reflog', 'expire', '--expire=now', '--all');
    repo.git('gc', '--quiet', '--prune=now');
    await expectWhole(repository, repo, first);
  });

  test('works from a linked worktree and from a repository that borrows objects', async () => {
    await using repo = await tempRepo();
    const first = repo.commit('one', { a: '1' });
    repo.git('gc', '--quiet');
    repo.git('worktree', 'add', '--quiet', join(repo.home, 'linked'), '-b', 'side');
    execFileSync('git', ['clone', '--quiet', '--shared', repo.path, join(repo.home, 'borrower')]);
    for (const place of ['linked', 'borrower']) {
      const repository = join(repo.home, `${place}.git`);
      const gitDir = await gitLine({ cwd: join(repo.home, place), args: ['rev-parse', '--absolute-git-dir'] });
      await ensureBareRepository(repository, gitDir);
      await adoptCommit(repository, gitDir, first);
      await expectWhole(repository, repo, first);
    }
  });

  test.runIf(process.getuid?.() === 0)('copies where it cannot link: another file system', async () => {
    await using repo = await tempRepo();
    const commit = repo.commit('one', { a: '1' });
    repo.git('gc', '--quiet');
    const other = join(repo.home, 'other');
    mkdirSync(other);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', other]);
    try {
      const repository = join(other, 'repo.git');
      await ensureBareRepository(repository, join(repo.path, '.git'));
      await adoptCommit(repository, join(repo.path, '.git'), commit);
      await expectWhole(repository, repo, commit);
    } finally {
      execFileSync('umount', [other]);
    }
  });

  test('of a shallow or partial clone is refused with the way out', async () => {
    await using repo = await tempRepo();
    repo.commit('one', { a: '1' });
    const commit = repo.commit('two', { a: '2' });
    repo.git('config', 'uploadpack.allowFilter', 'true');
    const url = `file://${repo.path}`;
    for (const [reason, option] of [
      ['shallow', '--depth=1'],
      ['partial', '--filter=blob:none'],
    ] as const) {
      const clone = join(repo.home, reason);
      execFileSync('git', ['clone', '--quiet', option, url, clone], { stdio: 'pipe' });
      const repository = join(repo.home, `${reason}.git`);
      await ensureBareRepository(repository, join(clone, '.git'));
      const adopting = adoptCommit(repository, join(clone, '.git'), commit);
      await expect(adopting).rejects.toThrow(AdoptionFailed);
      await expect(adopting).rejects.toMatchObject({ finding: { rule: `repository-${reason}` } });
      expect((await inspectRepository(clone)).errors.map((finding) => finding.rule)).toEqual([`repository-${reason}`]);
    }
  });

  test('of a damaged repository is refused, not half done', async () => {
    await using repo = await tempRepo();
    const commit = repo.commit('one', { a: '1' });
    const blob = repo.git('rev-parse', 'HEAD:a');
    rmSync(join(repo.path, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    await expect(repo.bare(commit)).rejects.toThrow();
  });
});

describe('inspecting a repository', () => {
  test('finds nothing wrong with a plain one, with LFS, or with SHA-256', async () => {
    await using repo = await tempRepo({ objectFormat: 'sha256' });
    repo.commit('base', { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n', 'a.txt': '1' });
    expect(await inspectRepository(repo.path)).toMatchObject({ objectFormat: 'sha256', errors: [], warnings: [] });
  });

  test('names filters and names that are not UTF-8, and submodules that are not there as a warning', async () => {
    await using repo = await tempRepo();
    const first = repo.commit('base', { 'sub/.gitattributes': '# filter=no\n*.enc text filter=crypt\n' });
    repo.git('update-index', '--add', '--cacheinfo', `160000,${first},vendor`);
    repo.git('commit', '--quiet', '-m', 'gitlink');
    const found = await inspectRepository(repo.path);
    expect(found.errors.map((finding) => [finding.rule, finding.where])).toEqual([
      ['git-filter', 'sub/.gitattributes:2:1'],
    ]);
    expect(found.warnings).toEqual([{ rule: 'submodules-missing', files: ['vendor'] }]);
    const blob = repo.git('rev-parse', 'HEAD:sub/.gitattributes');
    const tree = await git({
      gitDir: join(repo.path, '.git'),
      args: ['mktree', '-z'],
      stdin: Buffer.from(`100644 blob ${blob}\tcaf\xe9\0`, 'latin1'),
    });
    const commit = repo.git('commit-tree', String(tree).trim(), '-m', 'latin1');
    repo.git('update-ref', 'HEAD', commit);
    expect((await inspectRepository(repo.path)).errors.map((finding) => finding.rule)).toEqual(['name-not-utf-8']);
  });

  test('says so when there is no repository or no commit', async () => {
    await using repo = await tempRepo();
    expect((await inspectRepository(repo.path)).errors.map((finding) => finding.rule)).toEqual(['no-commit']);
    expect((await inspectRepository(repo.home)).errors.map((finding) => finding.rule)).toEqual(['not-a-repository']);
  });
});

test('the reader answers from the checkout, and from our repository for commits that only we have', async () => {
  await using repo = await tempRepo();
  const first = repo.commit('one', { a: '1', 'd/b': '2' });
  const second = repo.commit('two', { a: '3' });
  repo.git('remote', 'add', 'origin', 'https://ada:secret@example.org/x.git');
  mkdirSync(join(repo.path, 'd/e'));
  const reader = gitReader({ checkout: join(repo.path, 'd/e'), repository: join(repo.home, 'repo.git') });
  expect(await reader.toplevel()).toBe(repo.path);
  expect(await reader.rootCommit()).toBe(first);
  expect(await reader.remotes()).toEqual([{ name: 'origin', url: 'https://example.org/x.git' }]);
  expect(await reader.branchTip('main')).toBe(second);
  expect(await reader.branchTip('absent')).toBe(null);
  expect(await reader.currentBranch()).toBe('main');
  const all = { below: [''], matches: () => true, most: 1 };
  expect(await reader.files(first, all)).toEqual({ total: 2, files: [{ path: 'a', bytes: 1 }] });
  expect(await reader.files(first, { below: ['d', 'e'], matches: (path) => path === 'd/b', most: 9 })).toEqual({
    total: 1,
    files: [{ path: 'd/b', bytes: 1 }],
  });
  expect(await reader.files(first, { below: ['e'], matches: () => true, most: 9 })).toEqual({ total: 0, files: [] });
  const diff = [{ path: 'a', change: 'modified', oldMode: '100644', newMode: '100644' }];
  expect(await reader.diff(first, second)).toEqual(diff);
  const repository = await repo.bare(second);
  const tree = (await listTree(repository, first)).map((entry) => `${entry.mode} blob ${entry.id}\t${entry.path}`);
  const made = await git({ gitDir: repository, args: ['mktree'], stdin: `${tree[0]}\n` });
  const author = { GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x@x', GIT_COMMITTER_NAME: 'x', GIT_COMMITTER_EMAIL: 'x@x' };
  const ours = await gitLine({
    gitDir: repository,
    args: ['commit-tree', String(made).trim(), '-m', 'ours'],
    env: author,
  });
  expect(await reader.files(commitId(ours), all)).toEqual({ total: 1, files: [{ path: 'a', bytes: 1 }] });
});
