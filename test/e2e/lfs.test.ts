import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { objectPath } from '../../src/adapters/git/lfs/index.ts';
import { takeSnapshot } from '../../src/adapters/snapshot/index.ts';
import { makeWorkspace } from '../../src/adapters/workspace/index.ts';
import type { CommitId } from '../../src/domain/base/ids.ts';
import { describeFinding } from '../../src/domain/explain/explain.ts';
import { pointed, pointerTo, stored } from '../support/lfs.ts';
import { readBlob } from '../support/read-blob.ts';
import { type TempRepo, tempRepo } from '../support/temp-repo.ts';

const ref = 'refs/tidegate/attempts/run-ab12.task.1';
const attributes = { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' };

/** A workspace of `from`, mapped by the attributes of `base`, and how to snapshot it. */
async function workspaceOf(repo: TempRepo, base: CommitId, from = base, name = 'job') {
  const repository = await repo.bare(base);
  const ours = join(repo.home, 'lfs');
  const theirs = join(repo.path, '.git/lfs');
  const stores = async () => [ours, theirs];
  const directory = join(repo.home, name, 'workspace');
  const made = await makeWorkspace({ repository, directory, commit: from, lfs: { attributes: base, stores } });
  const at = (path: string) => join(directory, path);
  return {
    ...made,
    repository,
    ours,
    at,
    read: (path: string) => readFileSync(at(path), 'utf8'),
    snapshot: (more: Partial<Parameters<typeof takeSnapshot>[0]> = {}) =>
      takeSnapshot({
        repository,
        workspace: directory,
        base,
        from,
        statCache: made.record,
        ref,
        message: 'snapshot',
        lfs: { store: ours, stores },
        ...more,
      }),
    blob: async (commit: CommitId, path: string) => (await readBlob(repository, commit, path))?.toString(),
    kept: (content: string | Buffer) => {
      const place = objectPath(ours, pointerTo(content).oid);
      return existsSync(place) ? readFileSync(place) : null;
    },
  };
}

const paths = (snapshot: { readonly diff: readonly { readonly path: string }[] }) =>
  snapshot.diff.map(({ path }) => path);

for (const objectFormat of ['sha1', 'sha256'] as const)
  test(`a workspace has the content, and untouched has an empty diff whatever stands for it (${objectFormat})`, async () => {
    await using repo = await tempRepo({ objectFormat });
    const store = join(repo.path, '.git/lfs');
    const crlf = stored(store, 'crlf\n').replaceAll('\n', '\r\n');
    const extended = stored(store, 'extended\n').replace('oid', `ext-0-x sha256:${'0'.repeat(64)}\noid`);
    const damaged = stored(store, 'damaged\n');
    writeFileSync(objectPath(store, pointerTo('damaged\n').oid), 'DAMAGED\n');
    const texts: Record<string, string> = {
      'a.bin': stored(store, 'content of a\n'),
      'deep/er/b.bin': stored(store, 'content of b\n'),
      'crlf.bin': crlf,
      'extended.bin': extended,
      'damaged.bin': damaged,
      'absent.bin': pointed('nowhere\n'),
      'empty.bin': '',
      'zero.bin': stored(store, ''),
      'plain.bin': 'never was a pointer\n',
      'note.txt': stored(store, 'not for LFS\n'),
    };
    chmodSync(repo.path, 0o755);
    repo.write('run.bin', stored(store, '#!/bin/sh\n'));
    chmodSync(join(repo.path, 'run.bin'), 0o755);
    const commit = repo.commit('base', { ...attributes, ...texts });
    const w = await workspaceOf(repo, commit);
    expect(w.findings).toEqual([expect.objectContaining({ rule: 'lfs-missing' })]);
    expect(w.findings.map(describeFinding).join()).toMatch(/^2 of 7 /);
    expect(Object.fromEntries([...Object.keys(texts), 'run.bin'].map((path) => [path, w.read(path)]))).toEqual({
      ...texts,
      'a.bin': 'content of a\n',
      'deep/er/b.bin': 'content of b\n',
      'crlf.bin': 'crlf\n',
      'zero.bin': '',
      'run.bin': '#!/bin/sh\n',
    });
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: w.directory, encoding: 'utf8' })).toBe('');
    for (const statCache of [w.record, '/nonexistent/record'])
      expect(await w.snapshot({ statCache })).toMatchObject({ diff: [], refused: [], secrets: [] });
    expect(existsSync(w.ours)).toBe(false);
    chmodSync(w.at('run.bin'), 0o644);
    expect((await w.snapshot()).diff).toEqual([
      { path: 'run.bin', change: 'modified', oldMode: '100755', newMode: '100644' },
    ]);
  });

describe('a snapshot', () => {
  test('keeps changed and new content in our store and only points to it', async () => {
    await using repo = await tempRepo();
    const commit = repo.commit('base', {
      ...attributes,
      'a.bin': stored(join(repo.path, '.git/lfs'), 'old\n'),
      'plain.bin': 'plain\n',
      'gone.bin': stored(join(repo.path, '.git/lfs'), 'gone\n'),
    });
    const w = await workspaceOf(repo, commit);
    const large = randomBytes(3_000_000);
    writeFileSync(w.at('a.bin'), 'new\n');
    writeFileSync(w.at('large.bin'), large);
    writeFileSync(w.at('plain.bin'), 'changed\n');
    writeFileSync(w.at('copied.bin'), pointed('elsewhere\n'));
    writeFileSync(w.at('empty.bin'), '');
    writeFileSync(w.at('note.txt'), 'text\n');
    rmSync(w.at('gone.bin'));
    const taken = await w.snapshot();
    expect(paths(taken)).toEqual([
      'a.bin',
      'copied.bin',
      'empty.bin',
      'gone.bin',
      'large.bin',
      'note.txt',
      'plain.bin',
    ]);
    expect(await w.blob(taken.commit, 'a.bin')).toBe(pointed('new\n'));
    expect(await w.blob(taken.commit, 'large.bin')).toBe(pointed(large));
    expect(await w.blob(taken.commit, 'plain.bin')).toBe(pointed('changed\n'));
    expect(await w.blob(taken.commit, 'copied.bin')).toBe(pointed('elsewhere\n'));
    expect(await w.blob(taken.commit, 'empty.bin')).toBe('');
    expect(await w.blob(taken.commit, 'note.txt')).toBe('text\n');
    expect([w.kept('new\n')?.toString(), w.kept(large)?.equals(large), w.kept('text\n')]).toEqual([
      'new\n',
      true,
      null,
    ]);
    expect(readdirSync(join(w.ours, 'tmp'))).toEqual([]);
    expect((await w.snapshot()).commit).toBe(taken.commit);
  });

  test('is continued with its own content, by the attributes of the base', async () => {
    await using repo = await tempRepo();
    const commit = repo.commit('base', { ...attributes, 'a.bin': stored(join(repo.path, '.git/lfs'), 'old\n') });
    const first = await workspaceOf(repo, commit);
    writeFileSync(first.at('a.bin'), 'first\n');
    writeFileSync(first.at('.gitattributes'), '*.bin -filter\n*.txt filter=lfs\n');
    writeFileSync(first.at('note.txt'), 'text\n');
    const one = await first.snapshot();
    expect(await first.blob(one.commit, 'a.bin')).toBe(pointed('first\n'));
    expect(await first.blob(one.commit, 'note.txt')).toBe('text\n');

    const second = await workspaceOf(repo, commit, one.commit, 'again');
    expect([second.read('a.bin'), second.read('note.txt')]).toEqual(['first\n', 'text\n']);
    expect((await second.snapshot({ statCache: '/nonexistent' })).tree).toBe(one.tree);
    appendFileSync(second.at('a.bin'), 'second\n');
    const two = await second.snapshot();
    expect(await second.blob(two.commit, 'a.bin')).toBe(pointed('first\nsecond\n'));

    const next = await workspaceOf(repo, two.commit, two.commit, 'next');
    expect(next.read('a.bin')).toBe(pointed('first\nsecond\n'));
  });

  test('finds a secret in content that it points to, also when an earlier attempt wrote it; not what was there', async () => {
    await using repo = await tempRepo();
    const key = `AKIA${'A'.repeat(16)}`;
    const commit = repo.commit('base', { ...attributes, 'old.bin': stored(join(repo.path, '.git/lfs'), `${key}\n`) });
    const first = await workspaceOf(repo, commit);
    writeFileSync(first.at('new.bin'), `x\n${key}\n`);
    appendFileSync(first.at('old.bin'), 'more\n');
    const found = [{ rule: 'secret-shape', shape: 'aws-access-token', where: 'new.bin', in: 'content' }];
    const one = await first.snapshot();
    expect(one.secrets).toEqual(found);
    expect((await first.snapshot()).secrets).toEqual(found);
    const second = await workspaceOf(repo, commit, one.commit, 'again');
    expect((await second.snapshot()).secrets).toEqual(found);
  });

  test('holds no content in memory, and counts what LFS keeps apart from blobs', { timeout: 60_000 }, async () => {
    await using repo = await tempRepo();
    const w = await workspaceOf(repo, repo.commit('base', attributes));
    writeFileSync(w.at('sparse.bin'), '');
    truncateSync(w.at('sparse.bin'), 160_000_000);
    const before = process.memoryUsage().rss;
    const limits = { file: 1_000_000, total: 2_000_000, lfs: 200_000_000 };
    expect(await w.snapshot({ limits })).toMatchObject({ refused: [], diff: [{ path: 'sparse.bin' }] });
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    expect((await w.snapshot({ limits: { ...limits, lfs: 1_000 }, ref: `${ref}1` })).refused).toEqual([
      { rule: 'too-large', limit: 'file', bytes: 1000, where: 'sparse.bin' },
    ]);
  });

  test('leaves what a write that was cut off left, and writes over it', async () => {
    await using repo = await tempRepo();
    const w = await workspaceOf(repo, repo.commit('base', attributes));
    writeFileSync(w.at('a.bin'), 'new\n');
    await w.snapshot();
    const place = objectPath(w.ours, pointerTo('new\n').oid);
    rmSync(place);
    writeFileSync(join(w.ours, 'tmp', 'run-ab12.task.1'), 'ne');
    await w.snapshot();
    expect(readFileSync(place, 'utf8')).toBe('new\n');
  });
});

test('attributes of deeper directories, macros and negations are those of git', async () => {
  await using repo = await tempRepo();
  const store = join(repo.path, '.git/lfs');
  const content = stored(store, 'c\n');
  const commit = repo.commit('base', {
    '.gitattributes': '[attr]big filter=lfs -text\n*.psd big\n"with space.x" filter=lfs\n',
    'sub/.gitattributes': '*.psd -filter\n/only.dat big\n',
    'a.psd': content,
    'sub/b.psd': content,
    'sub/only.dat': content,
    'sub/deep/only.dat': content,
    'with space.x': content,
    'é "q".psd': content,
  });
  const { read } = await workspaceOf(repo, commit);
  const filled = ['a.psd', 'sub/b.psd', 'sub/only.dat', 'sub/deep/only.dat', 'with space.x', 'é "q".psd'].filter(
    (path) => read(path) === 'c\n',
  );
  expect(filled).toEqual(['a.psd', 'sub/only.dat', 'with space.x', 'é "q".psd']);
});
