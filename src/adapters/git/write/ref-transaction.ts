import { createInterface } from 'node:readline';
import type { CommitId } from '../../../domain/base/ids.ts';
import { GitFailed, keepStart, objectId, spawnGit } from '../process/index.ts';
import type { Person } from './person.ts';

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
  const said = new Set<string>();
  const waiting = new Map<string, () => void>();
  createInterface({ input: stdout }).on('line', (line) => {
    said.add(line);
    waiting.get(line)?.();
  });
  /** Whether git said `line` before it ended. */
  const says = (line: string): Promise<boolean> =>
    Promise.race([
      new Promise<boolean>((resolve) => {
        if (said.has(line)) resolve(true);
        else waiting.set(line, () => resolve(true));
      }),
      closed.then(() => said.has(line)),
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
