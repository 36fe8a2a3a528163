import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { adoptCommit } from '../../adapters/git/bare/index.ts';
import { findCheckout } from '../../adapters/git/read/index.ts';
import {
  absent,
  type Change,
  deliver,
  dirtyPaths,
  forgetArrival,
  isAncestor,
  isPlainBranch,
  keepReachable,
  listWorktrees,
  moveRef,
  openPerson,
  type Person,
  prepareMove,
  readChanges,
  readRef,
  switchTree,
  type Worktree,
} from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { CommitId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { Finding, FindingsOf } from '../../domain/findings/finding.ts';
import type { ObstacleRules } from '../../domain/findings/landing-rules.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import type { MergerOrder } from '../order.ts';
import { clearJournal, parentsOf, recoverLanding, statsAt, writeJournal } from './landing-recovery.ts';
import { deliverLfs, lfsObstacle } from './lfs.ts';

type Move = { readonly ref: string; readonly old: CommitId | null; readonly new: CommitId | null };

/** A move that nothing blocks, as far as looking can tell. */
export type Ready = { readonly move: Move; readonly person: Person; readonly worktree: Worktree | null };

/** Looks whether the branch, with the one working tree that has it, can be moved. Changes nothing. */
export async function examineMove(order: MergerOrder, move: Move): Promise<Result<Ready, Finding>> {
  const person = await openPerson(order.checkout, order.env);
  const { ref } = move;
  if (!(await isPlainBranch(person, move.ref))) return err({ rule: 'not-a-branch', ref });
  const holders = (await listWorktrees(person)).filter((worktree) => worktree.branch === move.ref);
  const [worktree = null, ...others] = holders;
  if (others.length > 0)
    return err({ rule: 'several-worktrees', ref, worktrees: holders.map((holder) => holder.path) });
  if (worktree?.missing) return err({ rule: 'worktree-missing', ref, worktree: worktree.path });
  if (worktree !== null && (move.old === null || move.new === null))
    return err({ rule: 'branch-checked-out', ref, worktree: worktree.path });

  const busy = await lasting(await locksOf(order, move, worktree));
  if (busy.length > 0) return err({ rule: 'git-locked', files: busy });
  const tip = await readRef(person, move.ref);
  if (tip !== move.old) return err(movedMeanwhile(move, tip));
  if (worktree !== null && move.old !== null && move.new !== null) {
    const changes = await readChanges(order.state.repository, move.old, move.new);
    const obstacle =
      (await lfsObstacle(order, { ...person, cwd: worktree.path }, { ...move, changes, new: move.new })) ??
      (await findObstacle(person, worktree, changes));
    if (obstacle !== null) return err(obstacle);
  }
  return ok({ move, person, worktree });
}

/**
 * Moves the branch and its working tree as one step, journalled: objects first, LFS ones too, then the ref's lock with
 * its old value compared, then index and files, then the ref. Killed anywhere, the next look finds the old state or the
 * new one.
 */
export async function moveBranch(
  order: MergerOrder,
  { move, person, worktree }: Ready,
): Promise<Result<null, Finding>> {
  const why = `tidegate: ${order.run}`;
  if (move.new !== null) {
    const ref = refs.landing(order.run);
    await keepReachable(order.state.repository, ref, move.new);
    failpoint('merger-landing-kept');
    await deliver(person, order.state.repository, ref);
    failpoint('merger-landing-delivered');
    await deliverLfs(order, person, move.new);
  }
  writeJournal(order.state, {
    run: order.run,
    ref: move.ref,
    old: move.old,
    new: move.new,
    worktree: worktree === null ? null : { path: worktree.path, gitDir: worktree.gitDir },
    locks: await locksOf(order, move, worktree),
  });
  failpoint('merger-landing-journalled');
  const moved =
    worktree === null || move.old === null || move.new === null
      ? await moveRefOnly(person, move, why)
      : await moveWithTree({ ...person, cwd: worktree.path }, { ...move, old: move.old, new: move.new }, why);
  if ('half' in moved) {
    const settled = await recoverLanding(order);
    if (!settled.ok) return settled;
    return err({ rule: 'files-refused', words: boundedWords(moved.half) });
  }
  failpoint('merger-landing-committed');
  await forgetArrival(person);
  clearJournal(order.state);
  failpoint('merger-landing-journal-cleared');
  return moved;
}

async function moveRefOnly(person: Person, move: Move, why: string): Promise<Result<null, Finding>> {
  const moved = await moveRef(person, move.ref, { old: move.old, new: move.new, why });
  return moved.outcome === 'moved' ? ok(null) : err(movedMeanwhile(move, moved.actual));
}

/** `half`: git stopped in the middle of the files. */
async function moveWithTree(
  person: Person,
  move: Move & { readonly old: CommitId; readonly new: CommitId },
  why: string,
): Promise<Result<null, Finding> | { readonly half: string }> {
  const prepared = await prepareMove(person, move.ref, { old: move.old, new: move.new, why });
  if (prepared === null) return err(movedMeanwhile(move, await readRef(person, move.ref)));
  failpoint('merger-landing-prepared');
  const switched = await switchTree(person, move.old, move.new).catch(async (error: unknown) => {
    await prepared.abort();
    throw error;
  });
  failpoint('merger-landing-tree-switched');
  if (switched.exitCode !== 0) {
    await prepared.abort();
    return { half: switched.stderr.trim() };
  }
  await prepared.commit();
  return ok(null);
}

/** True when the branch, now at `tip`, was moved to this commit: it is there, or somebody added commits to it. */
export async function hasReached(order: MergerOrder, tip: CommitId | null, commit: CommitId): Promise<boolean> {
  if (tip === null || tip === commit) return tip === commit;
  const { repository } = order.state;
  await adoptCommit(repository, (await findCheckout(order.checkout)).commonDir, tip);
  return await isAncestor(repository, commit, tip);
}

/** The files that git locks while it moves this branch and its working tree, and deletes the ref by which objects arrived. */
async function locksOf(order: MergerOrder, move: Move, worktree: Worktree | null): Promise<readonly string[]> {
  const { commonDir } = await findCheckout(order.checkout);
  const inWorktree = worktree === null ? [] : ['index.lock', 'HEAD.lock'].map((name) => `${worktree.gitDir}/${name}`);
  return [`${commonDir}/${move.ref}.lock`, `${commonDir}/packed-refs.lock`, ...inWorktree];
}

const movedMeanwhile = ({ ref, old }: Move, found: CommitId | null): Finding => ({
  rule: 'branch-moved',
  ref,
  expected: old,
  actual: found,
});

/** Something in the person's repository that blocks a landing. */
export type Obstacle = FindingsOf<ObstacleRules>;

/** Finds what moving a working tree by `changes` would overwrite, or an operation of git that is unfinished there. */
async function findObstacle(person: Person, worktree: Worktree, changes: readonly Change[]): Promise<Obstacle | null> {
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
 * Lists files that exist where a path would be added. Looks itself, because git overwrites ignored files silently.
 * Tracked files that the same move removes do not count.
 */
function untrackedInTheWay(root: string, changes: readonly Change[]): readonly string[] {
  const leaving = new Set(pathsOf(changes.filter((change) => change.newMode === absent)));
  const added = changes.filter((change) => change.oldMode === absent);
  const obstacles = new Set<string>();
  const fits = new Map<string, boolean>();
  /** Tells whether a parent is a directory, absent, or a tracked file that makes room. */
  const parentFits = (parent: string): boolean => {
    const remembered = fits.get(parent);
    if (remembered !== undefined) return remembered;
    const stats = statsAt(root, parent);
    const good = stats === null || stats.isDirectory() || leaving.has(parent);
    if (!good) obstacles.add(parent);
    fits.set(parent, good);
    return good;
  };
  for (const { path } of added) {
    // Below a link or a file there is nothing of this working tree to look at.
    const parents = parentsOf(path);
    if (parents.some((parent) => leaving.has(parent)) || !parents.every(parentFits)) continue;
    const stats = statsAt(root, path);
    if (stats === null) continue;
    if (!stats.isDirectory()) obstacles.add(path);
    else for (const file of filesBelow(root, path)) if (!leaving.has(file)) obstacles.add(file);
  }
  return [...obstacles];
}

function filesBelow(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
}

/** Waits for another git command to end. Returns the lock files that are still there, because that command was killed or is slow. */
async function lasting(locks: readonly string[], patience = 3_000): Promise<readonly string[]> {
  const until = performance.now() + patience;
  for (;;) {
    const present = locks.filter((lock) => existsSync(lock));
    if (present.length === 0 || performance.now() > until) return present;
    await sleep(25);
  }
}
