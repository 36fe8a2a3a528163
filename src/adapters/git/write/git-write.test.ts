import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { write } from '../../../../test/support/merger-scene.ts';
import { runOnly } from '../../../../test/support/run-only.ts';
import { type CommitId, commitId, treeId } from '../../../domain/base/ids.ts';
import { GitFailed } from '../process/index.ts';
import {
  listWorktrees,
  mergeTrees,
  moveRef,
  mustReadCommit,
  openPerson,
  prepareMove,
  readChanges,
  readManyChanges,
  readRef,
  takeBack,
} from './index.ts';

function repository() {
  const path = mkdtempSync(join(tmpdir(), 'tidegate-git-write-'));
  const git = (...args: string[]) => runOnly('git', args, path);
  git('init', '-q', '-b', 'main');
  const commit = (edits: Parameters<typeof write>[1]): CommitId => {
    write(path, edits);
    git('add', '-A');
    git('commit', '-q', '-m', 'x', '--allow-empty');
    return commitId(git('rev-parse', 'HEAD'));
  };

  const remove = () => rmSync(path, { recursive: true, force: true });
  return { path, gitDir: join(path, '.git'), git, commit, [Symbol.dispose]: remove };
}

test('a ref moves only from where it was said to be', async () => {
  using repo = repository();
  const [a, b, c] = [repo.commit({ x: '1' }), repo.commit({ x: '2' }), repo.commit({ x: '3' })];
  const place = { gitDir: repo.gitDir };
  const move = (old: CommitId | null, next: CommitId | null) =>
    moveRef(place, 'refs/t/x', { old, new: next, why: 'test' });
  expect(await move(null, a)).toEqual({ outcome: 'moved' });
  expect(await move(null, b)).toEqual({ outcome: 'lost', actual: a });
  expect(await move(b, c)).toEqual({ outcome: 'lost', actual: a });
  expect(await move(a, b)).toEqual({ outcome: 'moved' });
  expect(await move(a, b)).toEqual({ outcome: 'moved' });
  expect(await move(a, null)).toEqual({ outcome: 'lost', actual: b });
  expect(await move(b, null)).toEqual({ outcome: 'moved' });
  expect(await readRef(place, 'refs/t/x')).toBe(null);
});

test('a ref whose lock is left over is a failure, not a lost race', async () => {
  using repo = repository();
  const [a, b] = [repo.commit({ x: '1' }), repo.commit({ x: '2' })];
  const place = { gitDir: repo.gitDir };
  await moveRef(place, 'refs/t/x', { old: null, new: a, why: 'test' });
  write(repo.gitDir, { 'refs/t/x.lock': '' });
  await expect(moveRef(place, 'refs/t/x', { old: a, new: b, why: 'test' })).rejects.toMatchObject({
    name: 'GitFailed',
  });
});

test('while a move is prepared nobody else moves the ref, and it moves only on commit', async () => {
  using repo = repository();
  const [a, b] = [repo.commit({ x: '1' }), repo.commit({ x: '2' })];
  repo.git('checkout', '-q', '--detach');
  const person = await openPerson(repo.path, {});
  const move = { old: b, new: a, why: 'test' };
  const first = await prepareMove(person, 'refs/heads/main', move);
  expect(() => repo.git('update-ref', 'refs/heads/main', a)).toThrow();
  await first?.abort();
  expect(repo.git('rev-parse', 'main')).toBe(b);
  const second = await prepareMove(person, 'refs/heads/main', move);
  await second?.commit();
  expect(repo.git('rev-parse', 'main')).toBe(a);
  expect(await prepareMove(person, 'refs/heads/main', move)).toBe(null);
});

test('a git that is killed before it has said so is no ref that moved: its lock may be left', async () => {
  using repo = repository();
  const commit = repo.commit({ 'bin/git': '#!/bin/sh\nkill -KILL $$\n' });
  chmodSync(join(repo.path, 'bin/git'), 0o755);
  const person = await openPerson(repo.path, {});
  const killed = { ...person, env: { ...person.env, PATH: join(repo.path, 'bin') } };
  const move = { old: commit, new: commit, why: 'test' };
  await expect(prepareMove(killed, 'refs/heads/main', move)).rejects.toThrow(GitFailed);
});

test('a change is not carried to another path: a changed file that the other side moved away is a conflict', async () => {
  using repo = repository();
  const text = Array.from({ length: 50 }, (_, at) => `${at}\n`).join('');
  const start = repo.commit({ 'old/a': text, 'old/b': text });
  const base = await mustReadCommit(repo.gitDir, start);
  const tree = async (edits: Parameters<typeof write>[1]) => {
    repo.git('reset', '-q', '--hard', start);
    return (await mustReadCommit(repo.gitDir, repo.commit(edits))).tree;
  };
  const renamed = await tree({ 'old/a': null, 'new/a': text, 'old/b': null, 'new/b': text });
  const changed = await tree({ 'old/a': `${text}more\n` });
  const added = await tree({ 'old/c': 'c\n' });
  expect(await mergeTrees(repo.gitDir, { base, ours: renamed, theirs: changed })).toEqual({
    ok: false,
    error: ['new/a'],
  });
  const both = await mergeTrees(repo.gitDir, { base, ours: renamed, theirs: added });
  expect(both.ok && repo.git('ls-tree', '-r', '--name-only', both.value)).toBe('new/a\nnew/b\nold/c');
});

test('the merge base is the one that is named, not the one that history would give', async () => {
  using repo = repository();
  const base = await mustReadCommit(repo.gitDir, repo.commit({ a: '1\n' }));
  const theirs = await mustReadCommit(repo.gitDir, repo.commit({ a: '2\n' }));
  const { tree: ours } = base;
  expect(await mergeTrees(repo.gitDir, { base, ours, theirs })).toEqual({ ok: true, value: theirs.tree });
  expect(await mergeTrees(repo.gitDir, { base: theirs, ours, theirs })).toEqual({ ok: true, value: ours });
});

test('changes can be taken back, also where a file and a directory swapped places', async () => {
  using repo = repository();
  const base = repo.commit({ x: 'file\n', 'y/z': 'z\n', keep: 'k\n' });
  const next = repo.commit({ x: null, 'x/in': 'in\n', 'y/z': null, y: 'file\n', keep: 'changed\n' });
  const all = await readChanges(repo.gitDir, base, next);
  const { tree } = await mustReadCommit(repo.gitDir, next);
  const { tree: before } = await mustReadCommit(repo.gitDir, base);
  expect(await takeBack(repo.gitDir, tree, all)).toBe(before);
  const some = await takeBack(
    repo.gitDir,
    tree,
    all.filter((change) => change.path !== 'keep'),
  );
  expect(repo.git('ls-tree', '-r', '--name-only', some)).toBe('keep\nx\ny/z');
  expect(repo.git('cat-file', 'blob', `${some}:keep`)).toBe('changed');
});

test('many comparisons in one process say the same as one by one', async () => {
  using repo = repository();
  const commits = [
    repo.commit({ 'a b': '1\n' }),
    repo.commit({ ': x\n': '2\n', 'a b': null }),
    repo.commit({}),
    repo.commit({ l: { link: 'a' }, e: { exec: 'e' } }),
  ];
  const trees = commits.map((id) => treeId(repo.git('rev-parse', `${id}^{tree}`)));
  const pairs = trees.flatMap((from) => trees.map((to) => [from, to] as const));
  const single = await Promise.all(pairs.map(([from, to]) => readChanges(repo.gitDir, from, to)));
  expect(await readManyChanges(repo.gitDir, pairs)).toEqual(single);
});

test('a working tree is listed with its branch and with what is not finished there', async () => {
  using repo = repository();
  repo.commit({ x: '1' });
  write(repo.gitDir, { CHERRY_PICK_HEAD: '' });
  const [listed] = await listWorktrees(await openPerson(repo.path, {}));
  expect(listed).toMatchObject({ branch: 'refs/heads/main', missing: false, inProgress: 'cherry-pick' });
});
