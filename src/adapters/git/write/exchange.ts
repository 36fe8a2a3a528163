import { rmSync } from 'node:fs';
import type { CommitId } from '../../../domain/base/ids.ts';
import { git, gitLine, objectId, runGit } from '../process/index.ts';
import type { Person } from './working-tree.ts';

/** Keeps objects alive in the person's repository between their arrival and the move of the branch. */
const arrival = 'refs/tidegate/land';

/** Brings everything that `ref` of our repository reaches into the person's, before any ref of theirs names it. */
export async function deliver(person: Person, repository: string, ref: string): Promise<void> {
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-maintenance'];
  await unlockArrival(person);
  await git({ ...person, args: ['fetch', ...options, '--', repository, `+${ref}:${arrival}`] });
}

/** Small objects that this commit would bring to the person's branches: none of their branches or tags reaches them. */
export async function objectsBeyondBranches(person: Person, commit: CommitId): Promise<readonly string[]> {
  const options = ['--objects', '--no-object-names', '--filter=blob:limit=2k'];
  const present = ['--not', '--branches', '--tags', '--remotes'];
  const out = await git({ ...person, args: ['rev-list', ...options, objectId(commit), ...present] });
  return out
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '');
}

export async function forgetArrival(person: Person): Promise<void> {
  await unlockArrival(person);
  await git({ ...person, args: ['update-ref', '-d', arrival] });
}

/** The name is ours and there is one merger at a time: a lock on it was left by a git of ours that was killed. */
async function unlockArrival(person: Person): Promise<void> {
  const args = ['rev-parse', '--path-format=absolute', '--git-path', `${arrival}.lock`];
  rmSync(await gitLine({ ...person, args }), { force: true });
}

export async function isAncestor(gitDir: string, older: CommitId, newer: CommitId): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', objectId(older), objectId(newer)];
  return (await runGit({ gitDir, args })).exitCode === 0;
}

/** False for two histories that have nothing to do with one another. */
export async function areRelated(gitDir: string, a: CommitId, b: CommitId): Promise<boolean> {
  return (await runGit({ gitDir, args: ['merge-base', objectId(a), objectId(b)] })).exitCode === 0;
}

/** Commits reachable from `to` and not from `from`, newest first. */
export async function commitsBetween(gitDir: string, from: CommitId, to: CommitId): Promise<readonly CommitId[]> {
  const out = await git({ gitDir, args: ['rev-list', '--topo-order', objectId(to), `^${objectId(from)}`, '--'] });
  return out
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '') as CommitId[];
}

/** Commits between two that changed one of these files, newest first, at most `limit` of them. */
export async function commitsTouching(
  gitDir: string,
  { from, to, files, limit }: { from: CommitId; to: CommitId; files: readonly string[]; limit: number },
): Promise<readonly CommitId[]> {
  const args = ['rev-list', `--max-count=${limit}`, objectId(to), `^${objectId(from)}`, '--', ...files];
  const out = await git({ gitDir, args });
  return out
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '') as CommitId[];
}

/** A branch name that may be moved: a real ref below refs/heads, not a pointer to another one. */
export async function isPlainBranch(person: Person, ref: string): Promise<boolean> {
  if (!ref.startsWith('refs/heads/')) return false;
  const [valid, symbolic] = await Promise.all([
    runGit({ ...person, args: ['check-ref-format', ref] }),
    runGit({ ...person, args: ['symbolic-ref', '--quiet', ref] }),
  ]);
  return valid.exitCode === 0 && symbolic.exitCode !== 0;
}
