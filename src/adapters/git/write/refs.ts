import { type CommitId, commitId } from '../../../domain/base/ids.ts';
import { type GitCall, GitFailed, git, objectId, runGit } from '../process/index.ts';
import { durable } from './person.ts';

/** Which repository, and for a person's: with which environment. */
type Place = Pick<GitCall, 'gitDir' | 'cwd' | 'env'>;

type Moved =
  | { readonly outcome: 'moved' }
  /** The ref was not at `old`; it is untouched. */
  | { readonly outcome: 'lost'; readonly found: CommitId | null };

/**
 * Compare-and-swap; null is "does not exist". On disk when it returns. Asking again after it moved says `moved`.
 * Throws when the ref is still at `old` but git could not move it.
 */
export async function moveRef(
  place: Place,
  ref: string,
  move: { readonly old: CommitId | null; readonly new: CommitId | null; readonly why: string },
): Promise<Moved> {
  const old = objectId(move.old ?? zeroId(move.new));
  const args =
    move.new === null ? ['update-ref', '-d', ref, old] : ['update-ref', '-m', move.why, ref, objectId(move.new), old];
  const done = await runGit({ ...place, config: durable, args });
  if (done.exitCode === 0) return { outcome: 'moved' };
  const found = await readRef(place, ref);
  if (found === move.new) return { outcome: 'moved' };
  if (found !== move.old) return { outcome: 'lost', found };
  throw new GitFailed(args, done.exitCode, done.stderr);
}

/** Sets a ref that only keeps objects reachable and that nothing is decided by. */
export async function keepReachable(gitDir: string, ref: string, commit: CommitId): Promise<void> {
  await git({ gitDir, config: durable, args: ['update-ref', ref, objectId(commit)] });
}

export async function readRef(place: Place, ref: string): Promise<CommitId | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', ref];
  const done = await runGit({ ...place, args });
  if (done.exitCode === 0) return commitId(done.stdout.toString('utf8').trim());
  if (done.exitCode === 1) return null;
  throw new GitFailed(args, done.exitCode, done.stderr);
}

export const zeroId = (like: CommitId | null): CommitId => commitId('0'.repeat(like?.length ?? 40));
