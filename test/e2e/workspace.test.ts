import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runGit } from '../../src/adapters/git/process/index.ts';
import { takeSnapshot } from '../../src/adapters/snapshot/index.ts';
import { makeWorkspace, removeWorkspace } from '../../src/adapters/workspace/index.ts';
import { describeFinding } from '../../src/domain/explain/explain.ts';
import { tempRepo } from '../support/temp-repo.ts';

const everythingIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => join(entry.parentPath, entry.name));

describe('a workspace', () => {
  test('is on branch work at its commit, clean, without remote and without refs of others', async () => {
    await using repo = await tempRepo();
    const commit = repo.commit('base', { 'a.txt': 'one\r\n', '.gitattributes': '* text eol=lf\n' });
    const repository = await repo.bare(commit);
    const directory = join(repo.home, 'job/workspace');
    await makeWorkspace({ repository, directory, commit });
    const ask = async (...args: string[]) => String((await runGit({ cwd: directory, args })).stdout);
    expect(await ask('status', '--porcelain=v2', '--branch')).toBe(`# branch.oid ${commit}\n# branch.head work\n`);
    expect(await ask('for-each-ref', '--format=%(refname)')).toBe('refs/heads/work\n');
    expect(await ask('remote')).toBe('');
    expect(readdirSync(join(directory, '.git')).sort()).toEqual(['HEAD', 'config', 'index', 'info', 'objects', 'refs']);
    expect(await ask('commit', '--allow-empty', '-m', 'own use')).toMatch(/^\[work /);
  });

  test('that is complete is adopted untouched; a half-made one is made again', async () => {
    await using repo = await tempRepo();
    const commit = repo.commit('base', { a: '1' });
    const request = { repository: await repo.bare(commit), directory: join(repo.home, 'job/workspace'), commit };
    const made = await makeWorkspace(request);
    writeFileSync(join(made.directory, 'work'), 'of an agent');
    await makeWorkspace(request);
    expect(readdirSync(made.directory).sort()).toEqual(['.git', 'a', 'work']);
    rmSync(made.record);
    mkdirSync(join(made.directory, 'closed/inner'), { recursive: true });
    chmodSync(join(made.directory, 'closed'), 0);
    await makeWorkspace(request);
    expect(readdirSync(made.directory).sort()).toEqual(['.git', 'a']);
    removeWorkspace(made.directory);
    expect(readdirSync(join(repo.home, 'job'))).toEqual([]);
  });

  test('of another commit is made anew', async () => {
    await using repo = await tempRepo();
    const first = repo.commit('first', { a: '1' });
    const second = repo.commit('second', { a: '2' });
    const repository = await repo.bare(second);
    const directory = join(repo.home, 'job/workspace');
    await makeWorkspace({ repository, directory, commit: first });
    await makeWorkspace({ repository, directory, commit: second });
    expect(readFileSync(join(directory, 'a'), 'utf8')).toBe('2');
  });

  test.runIf(process.getuid?.() === 0)('belongs to its uid wholly, and links are not followed', async () => {
    await using repo = await tempRepo();
    writeFileSync(join(repo.home, 'outside'), 'mine');
    symlinkSync(join(repo.home, 'outside'), join(repo.path, 'link'));
    const commit = repo.commit('base', { 'dir/a': '1' });
    const repository = await repo.bare(commit);
    const directory = join(repo.home, 'job/workspace');
    const { record } = await makeWorkspace({ repository, directory, commit, uid: 54321, gid: 54322 });
    const owners = new Set(
      [directory, ...everythingIn(directory)].map((path) => `${lstatSync(path).uid}:${lstatSync(path).gid}`),
    );
    expect([...owners]).toEqual(['54321:54322']);
    expect(lstatSync(join(repo.home, 'outside')).uid).toBe(0);
    const ref = 'refs/tidegate/attempts/a';
    const request = { repository, workspace: directory, base: commit, from: commit, statCache: record, ref };
    expect((await takeSnapshot({ ...request, message: 'm' })).diff).toEqual([]);
    const objects = everythingIn(join(repository, 'objects'));
    expect(objects.filter((path) => (lstatSync(path).mode & 0o004) === 0)).toEqual([]);
  });
});

describe('.worktreeinclude', () => {
  test('copies only ignored plain files that it matches', async () => {
    await using repo = await tempRepo();
    repo.write('.gitignore', '.env*\nsecrets/\nlinked\nlink.env\n');
    repo.write('tracked.txt', 't');
    const commit = repo.commit('base');
    writeFileSync(join(repo.home, 'outside'), 'must not be reached');
    mkdirSync(join(repo.home, 'folder'));
    writeFileSync(join(repo.home, 'folder/inner'), 'must not be reached');
    repo.write('.worktreeinclude', '.env\nsecrets/*.json\ntracked.txt\nuntracked.txt\nlinked\nlink.env\nhuge.bin\n');
    repo.write('.env', 'KEY=1');
    repo.write('.env.local', 'not asked for');
    repo.write('secrets/a.json', '{}');
    repo.write('secrets/huge.bin', '');
    truncateSync(join(repo.path, 'secrets/huge.bin'), 60 << 20);
    repo.write('untracked.txt', 'not ignored');
    symlinkSync(join(repo.home, 'outside'), join(repo.path, 'link.env'));
    symlinkSync(join(repo.home, 'folder'), join(repo.path, 'linked'));
    const directory = join(repo.home, 'job/workspace');
    const repository = await repo.bare(commit);
    const made = await makeWorkspace({ repository, directory, commit, checkout: repo.path });
    expect(readdirSync(directory).sort()).toEqual(['.env', '.git', '.gitignore', 'secrets', 'tracked.txt']);
    expect(readdirSync(join(directory, 'secrets'))).toEqual(['a.json']);
    expect(made.findings.map((finding) => describeFinding(finding)).sort()).toEqual([
      'link.env: not copied: it is not a regular file',
      'linked: not copied: it is not a regular file',
      'secrets/huge.bin: not copied: it is larger than 50 MB',
    ]);
  });

  test('files that only the person ignores are not taken for work unless an agent changes them', async () => {
    await using repo = await tempRepo();
    const commit = repo.commit('base', { a: '1' });
    repo.write('.git/info/exclude', 'local.conf\n.worktreeinclude\n');
    repo.write('.worktreeinclude', 'local.conf\n');
    repo.write('local.conf', 'mine');
    const directory = join(repo.home, 'job/workspace');
    const repository = await repo.bare(commit);
    const { record } = await makeWorkspace({ repository, directory, commit, checkout: repo.path });
    const ref = 'refs/tidegate/attempts/a';
    const request = { repository, workspace: directory, base: commit, from: commit, statCache: record, ref };
    expect((await takeSnapshot({ ...request, message: 'm' })).diff).toEqual([]);
    writeFileSync(join(directory, 'local.conf'), 'work');
    expect((await takeSnapshot({ ...request, message: 'm' })).diff.map((entry) => entry.path)).toEqual(['local.conf']);
  });

  test('never writes through a link of the commit', async () => {
    await using repo = await tempRepo();
    mkdirSync(join(repo.home, 'outside'));
    symlinkSync(join(repo.home, 'outside'), join(repo.path, 'conf'));
    const commit = repo.commit('base', { '.gitignore': '*.env\n', '.worktreeinclude': '*.env\n' });
    rmSync(join(repo.path, 'conf'));
    repo.write('conf/x.env', 'KEY=1');
    const repository = await repo.bare(commit);
    const directory = join(repo.home, 'job/workspace');
    const made = await makeWorkspace({ repository, directory, commit, checkout: repo.path });
    expect(made.findings).toHaveLength(1);
    expect(existsSync(join(repo.home, 'outside/x.env'))).toBe(false);
  });
});
