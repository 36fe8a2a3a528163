import { type AttemptId, type CommitId, commitId } from '../../domain/ids.ts';
import type { LineCount } from '../../ports/desk.ts';
import { git, objectId, runGit } from '../git-process/index.ts';
import { splitNul } from './tree.ts';

/** A unified diff of two commits by git's own trees alone: no driver, filter, external program or working tree. */
export async function readPatch(
  gitDir: string,
  from: CommitId,
  to: CommitId,
  paths: readonly string[],
): Promise<string> {
  const args = ['diff-tree', '-r', '-p', '--no-color', '--no-renames', '--no-ext-diff', '--no-textconv'];
  const limits = paths.length === 0 ? [] : paths.map((path) => `:(top,literal)${path}`);
  const out = await git({
    gitDir,
    args: [...args, objectId(from), objectId(to), '--', ...limits],
    maxOutput: 64 << 20,
  });
  return out.toString('utf8');
}

/** Lines that each file gained and lost. Null when the repository has not got both commits any more. */
export async function readLineCounts(
  gitDir: string,
  from: CommitId,
  to: CommitId,
): Promise<readonly LineCount[] | null> {
  const args = ['diff-tree', '-r', '-z', '--numstat', '--no-renames', '--no-ext-diff', '--no-textconv'];
  const done = await runGit({ gitDir, args: [...args, objectId(from), objectId(to)], maxOutput: 64 << 20 });
  if (done.exitCode !== 0) return null;
  return splitNul(done.stdout).flatMap((record) => {
    const [added = '', removed = '', ...path] = record.split('\t');
    return path.length === 0 ? [] : [{ path: path.join('\t'), added: counted(added), removed: counted(removed) }];
  });
}

const counted = (text: string): number | null => (text === '-' ? null : Number(text));

/** Every snapshot of a run's attempts, and what was saved of lost ones. */
export async function attemptSnapshots(
  gitDir: string,
  run: string,
): Promise<readonly { readonly attempt: AttemptId; readonly ref: string; readonly commit: CommitId }[]> {
  const places = ['attempts', 'rescue'].map((place) => `refs/tidegate/${place}/`);
  const out = await git({
    gitDir,
    args: ['for-each-ref', '--format=%(objectname) %(refname)', ...places],
  });
  return out
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [id = '', ref = ''] = line.split(' ');
      const attempt = ref.slice(ref.lastIndexOf('/') + 1);
      return attempt.startsWith(`${run}.`) ? [{ attempt: attempt as AttemptId, ref, commit: commitId(id) }] : [];
    });
}
