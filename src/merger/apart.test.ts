import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Edits, write } from '../../test/support/merger-scene.ts';
import { runOnly } from '../../test/support/run-only.ts';
import {
  type Change,
  internalAuthor,
  isTidy,
  mergeTrees,
  mustReadCommit,
  writeCommit,
  writeStack,
} from '../adapters/git/write/index.ts';
import { type CommitId, commitId } from '../domain/base/ids.ts';
import type { SnapshotEvidence } from '../domain/gates/evidence.ts';
import { areApart, changesApart } from './apart.ts';

const set = (path: string, id = '1'): Change => ({ path, oldMode: '000000', newMode: '100644', oldId: '0', newId: id });
const side = (...own: Change[]) => ({ base: [], own });

test('sides meet at a path of both, and where one has a file and the other a directory', () => {
  expect(areApart([side(set('a')), side(set('b'))])).toBe(true);
  expect(areApart([side(set('d/a')), side(set('d/b'))])).toBe(true);
  expect(areApart([side(set('a')), side(set('b'), set('a', '2'))])).toBe(false);
  expect(areApart([side(set('d')), side(set('d/b'))])).toBe(false);
  expect(areApart([side(set('d/b/c')), side(set('d'))])).toBe(false);
});

test('who stands on a side may change what it did, and nobody else', () => {
  const onFirst = { base: [set('a')], own: [set('a', '2')] };
  expect(areApart([side(set('a')), onFirst])).toBe(true);
  expect(areApart([onFirst])).toBe(false);
  expect(areApart([side(set('a')), onFirst, side(set('a', '3'))])).toBe(false);
});

test('what is written at once is what merging one by one gives, with the same commits', async () => {
  const path = fc.constantFrom('a', 'b', 'c/x', 'c/y', 'c', 'd/e/f', 'd/e', 'g');
  const edits = fc.dictionary(path, fc.constantFrom(null, '1\n', '2\n', 'seed\n'), { minKeys: 1, maxKeys: 3 });
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(edits, { minLength: 2, maxLength: 3 }), fc.boolean(), async (sides, chained) => {
      using repo = repository();
      const start = repo.commit({ a: 'seed\n', 'c/x': 'seed\n', 'd/e/f': 'seed\n', z: 'seed\n' });
      const snapshots = sides.map((edit, at) => {
        if (!chained || at !== 1) repo.git('checkout', '-q', '-f', '--detach', start);
        const base = commitId(repo.git('rev-parse', 'HEAD'));
        return { base, commit: repo.commit(possible(edit)) } as SnapshotEvidence;
      });
      const { tree } = await mustReadCommit(repo.gitDir, start);
      const changes = await changesApart(repo.gitDir, tree, snapshots, new Set());
      if (changes === null) return;
      compared += 1;
      const description = { message: 'Ünïcode\n', by: internalAuthor, date: '5 +0000' };
      const commits = changes.map((own) => ({ ...description, changes: own }));
      const ours = await writeStack(repo.gitDir, { ref: 'refs/t/stack', parent: start, commits });
      expect(repo.git('rev-parse', 'refs/t/stack')).toBe(ours.at(-1)?.id);
      let [below, at] = [start, tree];
      for (const [step, { base, commit }] of snapshots.entries()) {
        const [from, theirs] = [await mustReadCommit(repo.gitDir, base), await mustReadCommit(repo.gitDir, commit)];
        const merged = at === from.tree ? theirs.tree : await mergeTrees(repo.gitDir, { base: from, ours: at, theirs });
        if (typeof merged !== 'string' && !merged.ok) throw new Error(`conflict at ${merged.error}`);
        at = typeof merged === 'string' ? merged : merged.value;
        below = await writeCommit(repo.gitDir, { ...description, tree: at, parent: below });
        expect({ step, commit: ours[step]?.id, tree: ours[step]?.tree }).toEqual({ step, commit: below, tree: at });
      }
    }),
    { numRuns: 15 },
  );
  expect(compared).toBeGreaterThan(2);
});

test('names that git would tidy up are left to git', () => {
  expect(['Ada', 'Ünal Ö. Ada', 'a.b'].map((name) => isTidy({ name, email: 'a@b' }))).toEqual([true, true, true]);
  expect(['Ada.', ' Ada', 'A<da', 'A\nda', ''].some((name) => isTidy({ name, email: 'a@b' }))).toBe(false);
});

/** Without edits that put a file below a file of the same side. */
const possible = (edit: Readonly<Record<string, string | null>>): Edits =>
  Object.fromEntries(
    Object.entries(edit).filter(([path]) => !Object.keys(edit).some((other) => path.startsWith(`${other}/`))),
  );

function repository() {
  const path = mkdtempSync(join(tmpdir(), 'tidegate-apart-'));
  const git = (...args: string[]) => runOnly('git', args, path);
  git('init', '-q', '-b', 'main');
  const commit = (edits: Edits): CommitId => {
    for (const [name, edit] of Object.entries(edits)) {
      if (edit === null) rmSync(join(path, name), { recursive: true, force: true });
      else clearFor(path, name);
    }
    write(path, Object.fromEntries(Object.entries(edits).filter(([, edit]) => edit !== null)));
    git('add', '-A');
    git('commit', '-q', '-m', 'x', '--allow-empty');
    return commitId(git('rev-parse', 'HEAD'));
  };
  return { path, gitDir: join(path, '.git'), git, commit, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

/** Room for a file: no directory in its place, and no file where a directory above it has to be. */
function clearFor(root: string, name: string): void {
  const parts = name.split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const path = join(root, ...parts.slice(0, length));
    const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory();
    if (isDirectory === (length === parts.length)) rmSync(path, { recursive: true });
  }
}
