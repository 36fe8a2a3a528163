import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GitFailed, gitLine } from '../../src/adapters/git/process/index.ts';
import { takeSnapshot } from '../../src/adapters/snapshot/index.ts';
import { makeWorkspace } from '../../src/adapters/workspace/index.ts';
import type { CommitId } from '../../src/domain/base/ids.ts';
import { readBlob } from '../support/read-blob.ts';
import { type TempRepo, tempRepo } from '../support/temp-repo.ts';

const ref = 'refs/tidegate/attempts/run-ab12.task.1';

/** A workspace of `commit`, and how to snapshot it. */
async function workspaceOf(repo: TempRepo, commit: CommitId) {
  const repository = await repo.bare(commit);
  const made = await makeWorkspace({ repository, directory: join(repo.home, 'job/workspace'), commit });
  const at = (path: string) => join(made.directory, path);
  const snapshot = (more: Partial<Parameters<typeof takeSnapshot>[0]> = {}) =>
    takeSnapshot({
      repository,
      workspace: made.directory,
      base: commit,
      from: commit,
      statCache: made.record,
      ref,
      message: 'snapshot',
      ...more,
    });
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(join(at(path), '..'), { recursive: true });
    writeFileSync(at(path), content);
  };
  return { repository, ...made, at, write, snapshot };
}

async function listenAt(path: string): Promise<AsyncDisposable> {
  const server = createServer().listen(path);
  await once(server, 'listening');
  return { [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) };
}

const rules = (findings: readonly { rule: string; where?: string }[]) =>
  findings.map((finding) => `${finding.rule} ${finding.where}`).sort();

describe('an untouched workspace', () => {
  for (const objectFormat of ['sha1', 'sha256'] as const) {
    test(`has an empty diff whatever the repository holds (${objectFormat})`, async () => {
      await using repo = await tempRepo({ objectFormat });
      repo.git('config', 'core.autocrlf', 'false');
      repo.write('run.sh', '#!/bin/sh\n');
      chmodSync(join(repo.path, 'run.sh'), 0o755);
      symlinkSync('run.sh', join(repo.path, 'link'));
      symlinkSync('/nowhere/at/all', join(repo.path, 'dangling'));
      repo.commit('plain', {
        'crlf.txt': 'one\r\ntwo\r\n',
        'mixed.txt': 'one\r\ntwo\n',
        'ident.c': '/* $Id$ */\n',
        'wide.txt': Buffer.from('h\u00e9llo\n', 'utf8'),
        'big.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n',
        'e\u0301.txt': 'NFD\n',
        '\u00e9.txt': 'NFC\n',
        '-x': 'option\n',
        ' spaces and "quotes" \\ and \t tab': 's\n',
        [`${'deep/'.repeat(60)}file`]: 'd\n',
        empty: '',
      });
      repo.write(
        '.gitattributes',
        'crlf.txt text eol=crlf\nmixed.txt text=auto\n*.c ident\nwide.txt working-tree-encoding=UTF-16\n*.bin filter=lfs -text\n',
      );
      repo.git('add', '.gitattributes');
      repo.git('commit', '--quiet', '-m', 'attributes');
      const commit = repo.git('rev-parse', 'HEAD') as CommitId;
      const { snapshot } = await workspaceOf(repo, commit);
      for (const statCache of [undefined, '/nonexistent/record']) {
        const more = statCache === undefined ? {} : { statCache };
        expect(await snapshot(more)).toMatchObject({ diff: [], refused: [], secrets: [] });
      }
    });
  }

  test('of a commit with a submodule has an empty diff', async () => {
    await using repo = await tempRepo();
    const first = repo.commit('first', { a: '1' });
    repo.git('update-index', '--add', '--cacheinfo', `160000,${first},vendor/sub`);
    repo.git('commit', '--quiet', '-m', 'gitlink');
    const { snapshot } = await workspaceOf(repo, repo.git('rev-parse', 'HEAD') as CommitId);
    expect((await snapshot()).diff).toEqual([]);
  });
});

describe('a snapshot', () => {
  test('holds adds, edits, deletes, modes, links and swaps of file and directory, and nothing else', async () => {
    await using repo = await tempRepo();
    const commit = repo.commit('base', {
      keep: 'k',
      edit: 'old',
      gone: 'g',
      mode: 'm',
      'dir/file': 'f',
      swap: 'file',
      'other/x': 'x',
    });
    const { write, at, snapshot, repository } = await workspaceOf(repo, commit);
    write('edit', 'new');
    unlinkSync(at('gone'));
    chmodSync(at('mode'), 0o755);
    write('added/with space', 'a');
    symlinkSync('../../etc/passwd', at('escape'));
    unlinkSync(at('swap'));
    write('swap/inner', 'i');
    rmSync(at('dir'), { recursive: true });
    symlinkSync('other', at('dir'));
    const taken = await snapshot();
    expect(taken.diff).toEqual([
      { path: 'added/with space', change: 'added', oldMode: '000000', newMode: '100644' },
      { path: 'dir', change: 'added', oldMode: '000000', newMode: '120000', linkTarget: 'other' },
      { path: 'dir/file', change: 'deleted', oldMode: '100644', newMode: '000000' },
      { path: 'edit', change: 'modified', oldMode: '100644', newMode: '100644' },
      { path: 'escape', change: 'added', oldMode: '000000', newMode: '120000', linkTarget: '../../etc/passwd' },
      { path: 'gone', change: 'deleted', oldMode: '100644', newMode: '000000' },
      { path: 'mode', change: 'modified', oldMode: '100644', newMode: '100755' },
      { path: 'swap', change: 'deleted', oldMode: '100644', newMode: '000000' },
      { path: 'swap/inner', change: 'added', oldMode: '000000', newMode: '100644' },
    ]);
    expect(String(await readBlob(repository, taken.commit, 'edit'))).toBe('new');
    expect(await gitLine({ gitDir: repository, args: ['rev-parse', ref] })).toBe(taken.commit);
    expect(await gitLine({ gitDir: repository, args: ['fsck', '--strict', '--no-dangling'] })).toBe('');
  });

  test('of the same files is the same commit, however often it is taken', async () => {
    await using repo = await tempRepo();
    const { write, snapshot, at } = await workspaceOf(repo, repo.commit('base', { a: '1', b: '2' }));
    write('a', 'changed');
    const first = await snapshot();
    utimesSync(at('b'), 1, 1);
    expect(await snapshot()).toEqual(first);
  });

  test('sees an edit that keeps size and modification time', async () => {
    await using repo = await tempRepo();
    const { write, snapshot, at } = await workspaceOf(repo, repo.commit('base', { a: 'aaaa' }));
    const sameTimeAs = (reference: string, file: string) => execFileSync('touch', ['-r', reference, file]);
    writeFileSync(join(repo.home, 'time'), '');
    sameTimeAs(at('a'), join(repo.home, 'time'));
    write('a', 'bbbb');
    sameTimeAs(join(repo.home, 'time'), at('a'));
    expect((await snapshot()).diff.map((entry) => entry.path)).toEqual(['a']);
  });

  test('goes by the ignore rules of the base, and never ignores what is tracked', async () => {
    await using repo = await tempRepo();
    repo.write('build/tracked', 't');
    repo.write('sub/.gitignore', '!keep.log\n/local\n');
    repo.git('add', '--all');
    repo.git('commit', '--quiet', '-m', 'tracked');
    const commit = repo.commit('rules', { '.gitignore': '*.log\nbuild/\nnode_modules\n!important.log\n' });
    const { write, snapshot } = await workspaceOf(repo, commit);
    for (const path of ['x.log', 'important.log', 'sub/keep.log', 'sub/other.log', 'sub/local', 'local'])
      write(path, '1');
    for (const path of ['build/new', 'build/tracked', 'node_modules/a/b', 'Build/x', 'plain']) write(path, '2');
    write('.gitignore', '*\n');
    write('sneaky/.gitignore', '*\n');
    write('sneaky/file', '3');
    expect((await snapshot()).diff.map((entry) => `${entry.change} ${entry.path}`)).toEqual([
      'modified .gitignore',
      'added Build/x',
      'modified build/tracked',
      'added important.log',
      'added local',
      'added plain',
      'added sneaky/.gitignore',
      'added sneaky/file',
      'added sub/keep.log',
    ]);
  });

  test('refuses what git cannot keep, by name, without waiting for it', async () => {
    await using repo = await tempRepo();
    const { write, at, snapshot } = await workspaceOf(repo, repo.commit('base', { a: '1', pipe: 'was a file' }));
    unlinkSync(at('pipe'));
    execFileSync('mkfifo', [at('pipe')]);
    await using _server = await listenAt(at('socket'));
    write('with\nnewline', 'n');
    writeFileSync(Buffer.concat([Buffer.from(`${at('bad-')}`), Buffer.from([0xff, 0xfe])]), 'b');
    write('nested/.git/HEAD', 'ref: refs/heads/main\n');
    write('nested/file', 'kept');
    write('odd/.GIT', 'x');
    write('odd/git~1', 'x');
    write('sparse', '');
    truncateSync(at('sparse'), 200e9);
    write('.tidegate/handoff.json', '{}');
    const taken = await snapshot();
    expect(taken.diff.map((entry) => entry.path)).toEqual(['nested/file']);
    expect(rules(taken.refused)).toEqual([
      'nested-git nested/.git',
      'nested-git odd/.GIT',
      'nested-git odd/git~1',
      'special-file pipe',
      'special-file socket',
      'too-large sparse',
      'unfit-name "bad-\\377\\376"',
      'unfit-name "with\\012newline"',
    ]);
  });

  test('names the rule and the path of a secret, never its value, and only if it is new', async () => {
    await using repo = await tempRepo();
    const old = `-----BEGIN PRIVATE KEY-----\n${'M'.repeat(70)}\n`;
    const { write, snapshot } = await workspaceOf(repo, repo.commit('base', { 'fixture.pem': old }));
    const token = `ghp_${'a1'.repeat(20)}`;
    write('fixture.pem', `${old}more\n`);
    write('config.ts', `const t = '${token}';`);
    write('large.bin', Buffer.concat([Buffer.alloc((1 << 20) - 5), Buffer.from('hunter2-hunter2')]));
    const taken = await snapshot({ secrets: ['hunter2-hunter2'] });
    expect(rules(taken.secrets)).toEqual(['known-value large.bin', 'secret-shape config.ts']);
    expect(JSON.stringify(taken)).not.toContain(token);
  });

  test('that continues an earlier one is compared with the base, secrets included', async () => {
    await using repo = await tempRepo();
    const base = repo.commit('base', { a: '1' });
    const first = await workspaceOf(repo, base);
    first.write('key', `sk-ant-${'x'.repeat(40)}`);
    const earlier = await first.snapshot();
    const made = await makeWorkspace({
      repository: first.repository,
      directory: join(repo.home, 'second/workspace'),
      commit: earlier.commit,
    });
    writeFileSync(join(made.directory, 'b'), '2');
    const later = await first.snapshot({
      workspace: made.directory,
      statCache: made.record,
      from: earlier.commit,
      ref: 'refs/tidegate/attempts/run-ab12.task.2',
    });
    expect(later.diff.map((entry) => entry.path)).toEqual(['b', 'key']);
    const parents = execFileSync('git', ['--git-dir', first.repository, 'log', '-1', '--format=%P', later.commit]);
    expect(String(parents).trim()).toBe(first.commit);
    expect(rules(later.secrets)).toEqual(['secret-shape key']);
  });

  test.runIf(process.getuid?.() === 0)('moves no ref on a full disk, and succeeds when there is room', async () => {
    await using repo = await tempRepo();
    const { write, snapshot, repository } = await workspaceOf(repo, repo.commit('base', { a: '1' }));
    write('b', randomBytes(3_000_000));
    const pack = join(repository, 'objects/pack');
    const packs = readdirSync(pack).map((name) => [name, readFileSync(join(pack, name))] as const);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', pack]);
    try {
      for (const [name, bytes] of packs) writeFileSync(join(pack, name), bytes);
      await expect(snapshot()).rejects.toThrow(GitFailed);
      expect(existsSync(join(repository, ref))).toBe(false);
    } finally {
      execFileSync('umount', [pack]);
    }
    expect((await snapshot()).diff.map((entry) => entry.path)).toEqual(['b']);
  });
});
