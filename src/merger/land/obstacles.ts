import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { absent, type Change, dirtyPaths, type Person, type Worktree } from '../../adapters/git/write/index.ts';
import type { FindingsOf } from '../../domain/findings/finding.ts';
import type { ObstacleRules } from '../../domain/findings/landing-rules.ts';
import { parentsOf, statsAt } from '../look.ts';

/** What stands in the way in the person's repository. */
export type Obstacle = FindingsOf<ObstacleRules>;

/** Everything in a working tree that moving it by `changes` would overwrite, or that says it is not the time. */
export async function findObstacle(
  person: Person,
  worktree: Worktree,
  changes: readonly Change[],
): Promise<Obstacle | null> {
  const { path, inProgress } = worktree;
  if (inProgress !== null) return { rule: 'operation-unfinished', worktree: path, operation: inProgress };
  const submodules = changes.filter((change) => [change.oldMode, change.newMode].includes('160000'));
  if (submodules.length > 0) return { rule: 'submodules-move', files: pathsOf(submodules) };

  const touched = pathsOf(changes);
  const dirty = meeting(await dirtyPaths({ ...person, cwd: path }), touched);
  if (dirty.length > 0) return { rule: 'dirty-checkout', worktree: path, files: dirty };
  const inTheWay = untrackedInTheWay(path, changes);
  return inTheWay.length > 0 ? { rule: 'untracked-files', worktree: path, files: inTheWay } : null;
}

const pathsOf = (changes: readonly Change[]): readonly string[] => changes.map((change) => change.path);

/** Paths that are one of `touched`, or lie above or below one. */
function meeting(paths: readonly string[], touched: readonly string[]): readonly string[] {
  const exact = new Set(touched);
  const above = new Set(touched.flatMap(parentsOf));
  return [...new Set(paths)].filter(
    (path) => exact.has(path) || above.has(path) || parentsOf(path).some((parent) => exact.has(parent)),
  );
}

/**
 * What exists where a path is to be added: found by looking, because git overwrites ignored files without a word.
 * Tracked files that the same move takes away are not in the way.
 */
function untrackedInTheWay(root: string, changes: readonly Change[]): readonly string[] {
  const leaving = new Set(pathsOf(changes.filter((change) => change.newMode === absent)));
  const added = changes.filter((change) => change.oldMode === absent);
  const found = new Set<string>();
  const fits = new Map<string, boolean>();
  /** Whether a parent is a directory, absent, or a tracked file that makes room. */
  const parentFits = (parent: string): boolean => {
    const known = fits.get(parent);
    if (known !== undefined) return known;
    const stats = statsAt(root, parent);
    const good = stats === null || stats.isDirectory() || leaving.has(parent);
    if (!good) found.add(parent);
    fits.set(parent, good);
    return good;
  };
  for (const { path } of added) {
    // Below a link or a file there is nothing of this working tree to look at.
    const parents = parentsOf(path);
    if (parents.some((parent) => leaving.has(parent)) || !parents.every(parentFits)) continue;
    const stats = statsAt(root, path);
    if (stats === null) continue;
    if (!stats.isDirectory()) found.add(path);
    else for (const file of filesBelow(root, path)) if (!leaving.has(file)) found.add(file);
  }
  return [...found];
}

function filesBelow(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
}

/** Lock files that exist now: another git is at work, or was killed. */
export const presentLocks = (locks: readonly string[]): readonly string[] => locks.filter((lock) => existsSync(lock));
