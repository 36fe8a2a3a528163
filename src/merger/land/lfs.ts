import { existsSync, rmSync } from 'node:fs';
import { writeWhole } from '../../adapters/files/durable-file.ts';
import { findObject, giveObject, lfsPaths, personsStore, readPointers } from '../../adapters/git/lfs/index.ts';
import { runGit } from '../../adapters/git/process/index.ts';
import { type Change, objectsBeyondBranches, type Person } from '../../adapters/git/write/index.ts';
import type { CommitId } from '../../domain/base/ids.ts';
import type { MergerOrder } from '../order.ts';
import type { Obstacle } from './move-branch.ts';

/**
 * Gives the person's repository every LFS object of ours that `commit` brings to their branches, also of commits on the
 * way: their own git-lfs then finds it at checkout and at the next push. The commit's git objects are there already.
 */
export async function deliverLfs(order: MergerOrder, person: Person, commit: CommitId): Promise<void> {
  if (!existsSync(order.state.lfs)) return;
  const ids = await objectsBeyondBranches(person, commit);
  const pointers = await readPointers(order.state.repository, ids);
  const ours = [...pointers.values()].filter((pointer) => findObject([order.state.lfs], pointer) !== null);
  if (ours.length === 0) return;
  const theirs = await personsStore(order.checkout, order.env);
  for (const { oid } of ours) giveObject(order.state.lfs, theirs, oid);
}

/**
 * A person may have set git to require a filter for LFS files. If that cannot run, git would stop in the middle
 * of the files, and could not put them back either: that is seen before anything is touched.
 */
export async function lfsObstacle(
  order: MergerOrder,
  person: Person,
  move: { readonly changes: readonly Change[]; readonly new: CommitId },
): Promise<Obstacle | null> {
  const written = move.changes.filter(({ newMode }) => newMode.startsWith('100')).map(({ path }) => path);
  if (written.length === 0 || !(await isRequired(person))) return null;
  const files = [...(await lfsPaths(order.state.repository, move.new, written))];
  if (files.length === 0 || (await canFilter(order, person))) return null;
  return { rule: 'lfs-unusable', files };
}

async function isRequired(person: Person): Promise<boolean> {
  const setting = await runGit({ ...person, args: ['config', '--type=bool', '--get', 'filter.lfs.required'] });
  return setting.exitCode === 0 && setting.stdout.toString('latin1').trim() === 'true';
}

/** Runs the person's filter on empty input, whatever program it is. The result is kept nowhere. */
async function canFilter(order: MergerOrder, person: Person): Promise<boolean> {
  const attributes = `${order.state.root}/every-file-lfs`;
  writeWhole(attributes, '* filter=lfs\n');
  try {
    const config = [...person.config, `core.attributesFile=${attributes}`];
    const args = ['hash-object', '--stdin', '--path=tidegate-asks-whether-git-lfs-runs'];
    return (await runGit({ ...person, config, args })).exitCode === 0;
  } finally {
    rmSync(attributes, { force: true });
  }
}
