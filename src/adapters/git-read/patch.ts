import { type AttemptId, type CommitId, commitId } from '../../domain/ids.ts';
import { git, objectId } from '../git-process/index.ts';

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
