import { createInterface } from 'node:readline';
import { type CommitId, commitId } from '../../../domain/base/ids.ts';
import { type GitCall, GitFailed, git, keepStart, objectId, runGit, spawnGit } from '../process/index.ts';
import { durable, type Person } from './working-tree.ts';

/** A repository; a person's comes with its environment. */
type Place = Pick<GitCall, 'gitDir' | 'cwd' | 'env'>;

type Moved =
  | { readonly outcome: 'moved' }
  /** The ref was not at `old`; it is untouched. */
  | { readonly outcome: 'lost'; readonly actual: CommitId | null };

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
  const actual = await readRef(place, ref);
  if (actual === move.new) return { outcome: 'moved' };
  if (actual !== move.old) return { outcome: 'lost', actual };
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

/** A prepared move of a ref: its lock is held, its old value was compared, and nothing has changed yet. */
type Prepared = {
  /** Moves the ref, on disk when it resolves. Throws when git could not. */
  commit(): Promise<void>;
  /** Lets go of the lock; the ref stays. */
  abort(): Promise<void>;
};

/**
 * Null when the ref is not at `old` or somebody else holds its lock. Our death releases it: git then sees the end of input.
 * Throws when git was killed: then the lock may be left.
 */
export async function prepareMove(
  person: Person,
  ref: string,
  move: { readonly old: CommitId; readonly new: CommitId; readonly why: string },
): Promise<Prepared | null> {
  const args = ['update-ref', '-m', move.why, '--stdin', '-z'];
  const child = spawnGit({ ...person, args });
  const stderr = keepStart(child);
  const closed = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('git without pipes');
  stdin.on('error', () => undefined);
  const replies = new Set<string>();
  const waiting = new Map<string, () => void>();
  createInterface({ input: stdout }).on('line', (line) => {
    replies.add(line);
    waiting.get(line)?.();
  });
  /** Tells whether git printed `line` before it ended. */
  const says = (line: string): Promise<boolean> =>
    Promise.race([
      new Promise<boolean>((resolve) => {
        if (replies.has(line)) resolve(true);
        else waiting.set(line, () => resolve(true));
      }),
      closed.then(() => replies.has(line)),
    ]);

  stdin.write(`start\0update ${ref}\0${objectId(move.new)}\0${objectId(move.old)}\0prepare\0`);
  if (!(await says('prepare: ok'))) {
    if ((await closed) === null) throw new GitFailed(args, null, stderr());
    return null;
  }
  return {
    commit: async () => {
      stdin.end('commit\0');
      const done = await says('commit: ok');
      const code = await closed;
      if (!done || code !== 0) throw new GitFailed(args, code, stderr());
    },
    abort: async () => {
      stdin.end('abort\0');
      await closed;
    },
  };
}
