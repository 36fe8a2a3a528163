import { existsSync, lchownSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import type { CommitId } from '../../domain/base/ids.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { removeTreeSync } from '../files/remove-tree.ts';
import { readRecord, writeRecord } from '../files/workspace-record.ts';
import { git } from '../git/process/index.ts';
import { listTree, type TreeEntry } from '../git/read/index.ts';
import { borrowObjects, objectsBeside } from '../git/stores/index.ts';
import { failpoint } from '../process/failpoint.ts';
import { fillPointers, fillSubmodules, writeGitDir } from './contents.ts';
import { copyIncluded } from './include.ts';

type WorkspaceRequest = {
  /** Our bare repository. Of its objects the workspace has those that `commit` and `base` reach, and no other. */
  readonly repository: string;
  readonly directory: string;
  readonly commit: CommitId;
  /** The commit that the work is compared with, when it is not the one checked out. */
  readonly base?: CommitId;
  /** The record that completes the workspace and later saves hashing; never inside it. */
  readonly record?: string;
  /** Unprivileged owner of everything in it, when we are root. */
  readonly uid?: number;
  readonly gid?: number;
  /** The person's checkout, for `.worktreeinclude`. */
  readonly checkout?: string;
  /** The person's checkout, for the contents of submodules; without it those are empty directories. */
  readonly modules?: string;
  /** The stores of LFS objects. Without it pointers stay pointers. */
  readonly lfs?: LfsSources;
  /** Called while files are written, and only when that takes more than a moment. */
  onCopied?(copied: Copied): void;
};

/** The progress of a checkout, in files. */
type Copied = { readonly done: number; readonly total: number };

export type LfsSources = {
  /** The commit whose attributes say what LFS keeps. */
  readonly attributes: CommitId;
  /** Stores that may have an object, the likeliest first. Asked for only when something needs one. */
  stores(): Promise<readonly string[]>;
};

type Workspace = {
  readonly directory: string;
  readonly record: string;
  readonly commit: CommitId;
  /** Files of `.worktreeinclude` and LFS objects that are not there, and why. Empty for an adopted workspace. */
  readonly findings: readonly Finding[];
};

/** The default path of the record of a workspace. */
export const recordOf = (directory: string): string => `${directory}.json`;

/**
 * A private, byte-exact checkout of one commit on branch `work`, in a repository of its own without remotes.
 * Safe to repeat: a complete workspace of that commit is adopted untouched, a half-made one is removed and made again.
 */
export async function makeWorkspace(request: WorkspaceRequest): Promise<Workspace> {
  const { directory, commit } = request;
  const record = request.record ?? recordOf(directory);
  if (isComplete(directory, record, commit)) return { directory, record, commit, findings: [] };
  rmSync(record, { force: true });
  removeTreeSync(directory);
  mkdirSync(dirname(directory), { recursive: true, mode: 0o700 });
  mkdirSync(directory);
  const [tree] = await Promise.all([listTree(request.repository, commit), fill(request)]);
  const modules =
    request.modules === undefined
      ? []
      : await fillSubmodules({ ...request, checkout: request.modules, tree, scratch: `${record}.module` });
  const missing = request.lfs === undefined ? [] : await fillPointers({ ...request, tree, lfs: request.lfs });
  const { copied, findings } =
    request.checkout === undefined
      ? { copied: [], findings: [] }
      : await copyIncluded({ checkout: request.checkout, directory, tracked: tree });
  if (request.uid !== undefined) giveTree(directory, request.uid, request.gid ?? request.uid);
  failpoint('workspace-made');
  await writeRecord(record, { directory, commit, tree: presentIn(tree), modules, included: copied });
  failpoint('workspace-marked');
  return { directory, record, commit, findings: [...missing, ...findings] };
}

/** Removes a workspace and its record; the record first, so that a half-removed one is never adopted. */
export function removeWorkspace(directory: string, record = recordOf(directory)): void {
  rmSync(record, { force: true });
  removeTreeSync(directory);
  removeTreeSync(objectsBeside(directory));
}

/** The repository and the files of a workspace. */
async function fill({ repository, directory, commit, base = commit, onCopied }: WorkspaceRequest): Promise<void> {
  const cut = await borrowObjects(repository, { from: commit, base }, objectsBeside(directory));
  writeGitDir(`${directory}/.git`, objectsBeside(directory), commit, cut);
  await checkOut(directory, commit, onCopied);
}

function isComplete(directory: string, record: string, commit: CommitId): boolean {
  const recorded = readRecord(record);
  const stats = lstatSync(directory, { bigint: true, throwIfNoEntry: false });
  if (!existsSync(objectsBeside(directory))) return false;
  return recorded !== null && recorded.commit === commit && stats !== undefined && recorded.inode === String(stats.ino);
}

async function checkOut(directory: string, commit: CommitId, onCopied?: (copied: Copied) => void): Promise<void> {
  const onStderr = (text: string): void => {
    // `Updating files:  62% (31000/50000)`, again and again; the last one counts
    const [, done, total] = [...text.matchAll(/\((\d+)\/(\d+)\)/g)].at(-1) ?? [];
    if (done !== undefined && total !== undefined) onCopied?.({ done: Number(done), total: Number(total) });
  };
  await git({
    gitDir: `${directory}/.git`,
    workTree: directory,
    config: [`checkout.workers=${Math.min(availableParallelism(), 8)}`, 'checkout.thresholdForParallelism=500'],
    args: ['read-tree', '--reset', '-u', ...(onCopied === undefined ? [] : ['-v']), commit],
    env: { GIT_PROGRESS_DELAY: '1' },
    onStderr,
  });
}

/** Gitlinks are directories in a workspace; files written into them are recorded apart. */
const presentIn = (tree: readonly TreeEntry[]): readonly TreeEntry[] => tree.filter((entry) => entry.mode !== '160000');

/** Gives a tree that we made to another owner. Links themselves are given, never what they point to. */
export function giveTree(path: string, uid: number, gid: number): void {
  if (lstatSync(path).isDirectory()) {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const child = `${path}/${entry.name}`;
      if (entry.isDirectory()) giveTree(child, uid, gid);
      else lchownSync(child, uid, gid);
    }
  }
  lchownSync(path, uid, gid);
}
