import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TempRepo, tempRepo } from '../../../../test/support/temp-repo.ts';
import { type CommitId, commitId } from '../../../domain/base/ids.ts';
import { stateDir } from '../../../domain/ledger/state-dir.ts';
import { stateDisk } from '../../disk/index.ts';
import { adoptCommit } from '../bare/index.ts';
import { git } from '../process/index.ts';
import { borrowObjects, ensureStore } from './index.ts';
import { unusedStores } from './link-store.ts';

const text = async (gitDir: string, ...args: string[]): Promise<string> =>
  (await git({ gitDir, args })).toString('utf8').trimEnd();
const sorted = (lines: string): readonly string[] => [...new Set(lines.split('\n'))].toSorted();
const at = (commit: CommitId) => ({ from: commit, base: commit });
const adopt = (repo: TempRepo, repository: string, commit: CommitId) =>
  adoptCommit(repository, join(repo.path, '.git'), commit);

/** A repository that has nothing but these objects. */
function alone(repo: TempRepo, objects: string, cut: readonly string[] = []): string {
  const gitDir = join(repo.home, 'alone.git');
  rmSync(gitDir, { recursive: true, force: true });
  const format = readFileSync(join(repo.path, '.git/config'), 'utf8').includes('sha256') ? 'sha256' : 'sha1';
  execFileSync('git', ['init', '-q', '--bare', `--object-format=${format}`, gitDir]);
  writeFileSync(join(gitDir, 'objects/info/alternates'), `${JSON.stringify(objects)}\n`);
  if (cut.length > 0) writeFileSync(join(gitDir, 'shallow'), `${cut.join('\n')}\n`);
  return gitDir;
}

const allIn = async (gitDir: string): Promise<readonly string[]> =>
  sorted(await text(gitDir, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)'));
const reached = async (gitDir: string, ...from: readonly string[]): Promise<readonly string[]> =>
  sorted(await text(gitDir, 'rev-list', '--objects', '--no-object-names', ...from));
const packsIn = (store: string): readonly string[] =>
  readdirSync(join(store, 'pack')).filter((n) => n.endsWith('.idx'));
const storesOf = (repo: TempRepo): string => stateDir(repo.home).stores;

test.each(['sha1', 'sha256'] as const)(
  'a store holds all that its commits reach and nothing else (%s)',
  async (objectFormat) => {
    await using repo = await tempRepo({ objectFormat });
    const first = repo.commit('first', { a: '1', 'deep/b': '2' });
    repo.git('checkout', '-q', '-b', 'side');
    const side = repo.commit('side', { side: 'x' });
    repo.git('checkout', '-q', 'main');
    const tip = repo.commit('second', { a: '3', c: '4' });
    repo.git('repack', '-q', '-a', '-d');
    const repository = await repo.bare(tip);
    const ofFirst = await ensureStore(repository, at(first));
    expect(await allIn(alone(repo, ofFirst))).toEqual(await reached(repository, first));
    const ofTip = await ensureStore(repository, at(tip));
    expect(await allIn(alone(repo, ofTip))).toEqual(await reached(repository, tip));
    const ofBoth = await ensureStore(repository, { from: side, base: tip });
    expect(await allIn(alone(repo, ofBoth))).toEqual(await reached(repository, side, tip));
    for (const commit of [side, tip])
      await git({ gitDir: alone(repo, ofBoth), args: ['fsck', '--full', '--strict', commit] });
    expect([ofFirst, ofTip, ofBoth].map((store) => packsIn(store).length)).toEqual([1, 2, 3]);
    const [below = ''] = packsIn(ofFirst);
    expect(lstatSync(join(ofTip, 'pack', below)).ino).toBe(lstatSync(join(ofFirst, 'pack', below)).ino);
    expect(readdirSync(storesOf(repo)).toSorted()).toEqual([first, tip, `${side}.${tip}`].toSorted());
  },
);

test('packs that hold nothing else are linked, not copied; one more object in them, and they are not', async () => {
  await using repo = await tempRepo();
  const commit = repo.commit('first', { a: '1', b: '2' });
  repo.git('repack', '-q', '-a', '-d');
  const last = repo.commit('second', { c: '3' });
  repo.git('repack', '-q', '-d');
  const repository = await repo.bare(last);
  repo.git('checkout', '-q', '-b', 'side');
  repo.commit('side', { side: 'x' });
  repo.git('checkout', '-q', 'main');
  const mixed = repo.commit('third', { d: '4' });
  repo.git('repack', '-q', '-d');
  const packs = readdirSync(join(repository, 'objects/pack')).toSorted();
  const store = await ensureStore(repository, at(last));
  expect(readdirSync(join(store, 'pack')).toSorted()).toEqual(packs);
  expect(await allIn(alone(repo, store))).toEqual(await reached(repository, last));
  expect(unusedStores(stateDir(repo.home))).toEqual([]);
  rmSync(storesOf(repo), { recursive: true });
  const earlier = await ensureStore(repository, at(commit));
  expect(packsIn(earlier)).toHaveLength(1);
  expect(packs).toContain(packsIn(earlier)[0]);
  expect(await allIn(alone(repo, earlier))).toEqual(await reached(repository, commit));
  rmSync(storesOf(repo), { recursive: true });
  await adopt(repo, repository, mixed);
  const beside = await ensureStore(repository, at(mixed));
  expect(packsIn(beside)).toHaveLength(3);
  expect(await allIn(alone(repo, beside))).toEqual(await reached(repository, mixed));
});

test('grafts and replacements shape no store', async () => {
  await using repo = await tempRepo();
  const first = repo.commit('first', { a: '1' });
  const second = repo.commit('second', { a: '2' });
  const hidden = repo.commit('hidden', { secret: 'x' });
  repo.git('reset', '-q', '--hard', second);
  const repository = await repo.bare(second);
  await adopt(repo, repository, hidden);
  for (const gitDir of [repository, join(repo.path, '.git')]) {
    execFileSync('git', ['--git-dir', gitDir, 'update-ref', `refs/replace/${first}`, hidden]);
    mkdirSync(join(gitDir, 'info'), { recursive: true });
    writeFileSync(join(gitDir, 'info/grafts'), `${second} ${hidden}\n`);
  }
  const store = await ensureStore(repository, at(second));
  const found = await allIn(alone(repo, store));
  expect(found).toContain(first);
  expect(found).not.toContain(hidden);
  expect(found).toEqual(await reached(repository, second));
});

test('stores of one commit that are made at the same moment are one, and nothing is left of the others', async () => {
  await using repo = await tempRepo();
  const commit = repo.commit('first', { a: '1' });
  const repository = await repo.bare(commit);
  const places = Array.from({ length: 5 }, (_, index) => join(repo.home, `borrowed-${index}`));
  await Promise.all(places.map((place) => borrowObjects(repository, at(commit), place)));
  expect(readdirSync(storesOf(repo))).toEqual([commit]);
  for (const place of places) expect(await allIn(alone(repo, place))).toEqual(await reached(repository, commit));
});

test('what is borrowed stays whole when its store is removed, and a damaged store is made again', async () => {
  await using repo = await tempRepo();
  const commit = repo.commit('first', { a: '1' });
  const repository = await repo.bare(commit);
  const [one, two] = [join(repo.home, 'one'), join(repo.home, 'two')];
  await borrowObjects(repository, at(commit), one);
  const disk = stateDisk(stateDir(repo.home), async () => ({ cap: 1, free: 1 }));
  await disk.remove({ kind: 'store', id: commit });
  expect(readdirSync(storesOf(repo))).toEqual([]);
  expect(await allIn(alone(repo, one))).toEqual(await reached(repository, commit));
  rmSync(join(await ensureStore(repository, at(commit)), 'shallow'));
  await borrowObjects(repository, at(commit), two);
  expect(await allIn(alone(repo, two))).toEqual(await reached(repository, commit));
});

test.each(['.idx', '.pack', 'all of pack'])(
  'a store that lost %s is made again, and none is built on it',
  async (lost) => {
    await using repo = await tempRepo();
    const first = repo.commit('first', { a: '1' });
    const second = repo.commit('second', { a: '2' });
    const repository = await repo.bare(second);
    const lose = async () => {
      const store = await ensureStore(repository, at(first));
      for (const name of readdirSync(join(store, 'pack')))
        if (name.endsWith(lost) || lost === 'all of pack') rmSync(join(store, 'pack', name));
    };
    await lose();
    expect(await allIn(alone(repo, await ensureStore(repository, at(second))))).toEqual(
      await reached(repository, second),
    );
    await lose();
    const borrowed = join(repo.home, 'borrowed');
    await borrowObjects(repository, at(first), borrowed);
    expect(await allIn(alone(repo, borrowed))).toEqual(await reached(repository, first));
    expect(readdirSync(storesOf(repo)).toSorted()).toEqual([first, second].toSorted());
  },
);

test('a store is unused when nobody borrows it; what others hold too counts once, for the one that goes last', async () => {
  await using repo = await tempRepo();
  const first = repo.commit('first', { a: 'x'.repeat(10), big: Buffer.alloc(300_000, 'ab\n').toString('base64') });
  const second = repo.commit('second', { a: '2' });
  const repository = await repo.bare(second);
  const workspace = join(repo.home, 'borrowed');
  await borrowObjects(repository, at(first), workspace);
  await ensureStore(repository, at(second));
  const unused = () => unusedStores(stateDir(repo.home)).map(({ id }) => id);
  expect(unused()).toEqual([second]);
  expect(unusedStores(stateDir(repo.home))[0]?.bytes).toBeLessThan(100_000);
  rmSync(workspace, { recursive: true });
  expect(unused().toSorted()).toEqual([first, second].toSorted());
  const disk = stateDisk(stateDir(repo.home), async () => ({ cap: 1, free: 1 }));
  for (const { kind, id } of unusedStores(stateDir(repo.home))) await disk.remove({ kind, id });
  expect(readdirSync(storesOf(repo))).toEqual([]);
});

test('half a store, left by a process that died, is never used and goes with the next tidying', async () => {
  await using repo = await tempRepo();
  const commit = repo.commit('first', { a: '1' });
  const repository = await repo.bare(commit);
  const half = join(storesOf(repo), `${commit}-0a1b2c3d.4194999.new`);
  mkdirSync(join(half, 'pack'), { recursive: true });
  const store = await ensureStore(repository, at(commit));
  expect(await allIn(alone(repo, store))).toEqual(await reached(repository, commit));
  await stateDisk(stateDir(repo.home), async () => ({ cap: 1, free: 1 })).tidy();
  expect(readdirSync(storesOf(repo))).toEqual([commit]);
});

test('a long row of stores has few packs each', async () => {
  await using repo = await tempRepo();
  const commits = Array.from({ length: 36 }, (_, index) => repo.commit(`${index}`, { a: `${index}` }));
  const repository = await repo.bare(commits.at(-1) as CommitId);
  const packs: number[] = [];
  for (const commit of commits) packs.push(packsIn(await ensureStore(repository, at(commit))).length);
  expect(packs.slice(0, 32)).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
  expect(packs.slice(32)).toEqual([10, 11, 12, 13]);
  const last = await ensureStore(repository, at(commits.at(-1) as CommitId));
  expect(await allIn(alone(repo, last))).toEqual(await reached(repository, commits.at(-1) as CommitId));
});

test('the place of the state may have any name', async () => {
  await using repo = await tempRepo();
  const commit = repo.commit('first', { a: '1' });
  const odd = join(repo.home, 'a:b "c" ü#');
  mkdirSync(odd);
  const bare = await repo.bare(commit);
  const repository = join(odd, 'repo.git');
  execFileSync('cp', ['-a', bare, repository]);
  const store = await ensureStore(repository, at(commit));
  expect(packsIn(store)).toHaveLength(1);
});

test('above a limit of objects a history ends after the newest commits, in every store that is built on it', async () => {
  await using repo = await tempRepo();
  const commits = Array.from({ length: 8 }, (_, index) => dated(repo, index, { [`f${index}`]: `${index}` }));
  const [old] = commits;
  const tip = commits.at(-1) as CommitId;
  const repository = await repo.bare(tip);
  const limits = { objects: 1, commits: 3 };
  const objects = join(repo.home, 'borrowed');
  const cut = await borrowObjects(repository, at(tip), objects, limits);
  expect(cut).toEqual([commits[5]]);
  const log = async (borrowed: string, ends: readonly string[], commit: string) =>
    (await text(alone(repo, borrowed, ends), 'log', '--format=%s', commit)).split('\n');
  expect(await log(objects, cut, tip)).toEqual(['7', '6', '5']);
  expect(await allIn(alone(repo, objects))).not.toContain(old);
  await git({ gitDir: alone(repo, objects, cut), args: ['fsck', '--full', '--strict', tip] });

  // A branch that begins before the cut is merged: what the store below leaves out must not be taken for granted.
  repo.git('checkout', '-q', '-b', 'side', commits[1] as string);
  dated(repo, 8, { side: 'x' });
  repo.git('checkout', '-q', 'main');
  repo.git('merge', '-q', '--no-ff', '-m', 'merged', 'side');
  const merged = commitId(repo.git('rev-parse', 'HEAD'));
  await adopt(repo, repository, merged);
  const next = await borrowObjects(repository, at(merged), objects, limits);
  await git({ gitDir: alone(repo, objects, next), args: ['fsck', '--full', '--strict', merged] });
  const names = await text(alone(repo, objects, next), 'ls-tree', '-r', '--name-only', merged);
  expect(names.split('\n')).toEqual(['f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'side']);
  expect(packsIn(await ensureStore(repository, at(merged), limits))).toHaveLength(2);
});

/** Commits a minute apart, so that their order is known. */
function dated(repo: TempRepo, index: number, files: Readonly<Record<string, string>>): CommitId {
  repo.commit(`${index}`, files);
  repo.git(
    '-c',
    'user.name=Ada',
    'commit',
    '-q',
    '--amend',
    '--no-edit',
    '--date',
    `${1_700_000_000 + index * 60} +0000`,
  );
  return commitId(repo.git('rev-parse', 'HEAD'));
}
