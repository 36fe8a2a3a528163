import { existsSync } from 'node:fs';
import { runGit } from '../adapters/git-process/index.ts';
import { type Change, objectsBeyondBranches, type Person } from '../adapters/git-write/index.ts';
import { findObject, giveObject, lfsPaths, personsStore, readPointers } from '../adapters/lfs/index.ts';
import type { CommitId } from '../domain/ids.ts';
import type { Order } from './context.ts';
import type { Obstacle } from './obstacles.ts';

/**
 * Gives the person's repository every LFS object of ours that `commit` brings to their branches, also of commits on the
 * way: their own git-lfs then finds it at checkout and at the next push. The commit's git objects are there already.
 */
export async function deliverLfs(order: Order, person: Person, commit: CommitId): Promise<void> {
  if (!existsSync(order.state.lfs)) return;
  const ids = await objectsBeyondBranches(person, commit);
  const pointers = await readPointers(order.state.repository, ids);
  const ours = [...pointers.values()].filter((pointer) => findObject([order.state.lfs], pointer) !== null);
  if (ours.length === 0) return;
  const theirs = await personsStore(order.checkout, order.env);
  for (const { oid } of ours) giveObject(order.state.lfs, theirs, oid);
}

/**
 * A person may have told git that LFS files must pass through git-lfs. Without git-lfs git would stop in the middle of
 * the files, and could not put them back either: that is seen before anything is touched.
 */
export async function lfsObstacle(
  order: Order,
  person: Person,
  move: { readonly changes: readonly Change[]; readonly new: CommitId; readonly retry: string },
): Promise<Obstacle | null> {
  const written = move.changes.filter(({ newMode }) => newMode.startsWith('100')).map(({ path }) => path);
  if (written.length === 0 || !(await isRequired(person)) || (await isInstalled(person))) return null;
  const files = [...(await lfsPaths(order.state.repository, move.new, written))];
  if (files.length === 0) return null;
  return {
    why: 'your git configuration requires git-lfs (filter.lfs.required), which is not installed; your files are untouched',
    files,
    fix: `install git-lfs, then: ${move.retry}`,
  };
}

async function isRequired(person: Person): Promise<boolean> {
  const found = await runGit({ ...person, args: ['config', '--type=bool', '--get', 'filter.lfs.required'] });
  return found.exitCode === 0 && found.stdout.toString('latin1').trim() === 'true';
}

/** Only what `git lfs install` wrote is looked at; whether another program is there, only starting it can tell. */
async function isInstalled(person: Person): Promise<boolean> {
  const set = await runGit({ ...person, args: ['config', '--get-regexp', '^filter\\.lfs\\.(process|smudge)$'] });
  const programs = set.stdout
    .toString('utf8')
    .trim()
    .split('\n')
    .filter((line) => line !== '');
  const usual = programs.every((line) => /^\S+ git-lfs\s/.test(line));
  return !usual || (await runGit({ ...person, args: ['lfs', 'version'] })).exitCode === 0;
}
