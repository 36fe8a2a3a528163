import { type Commit, mergeTrees, mustReadCommit, readChanges, takeBack } from '../adapters/git-write/index.ts';
import type { SnapshotEvidence } from '../domain/evidence.ts';
import type { TreeId } from '../domain/ids.ts';
import type { Result } from '../domain/result.ts';

/**
 * What a task changed since its base, put onto `onto`. Edits of generated paths are left out here: they are rebuilt on
 * the candidate by their own command, whatever an agent made of them.
 */
export async function integrate(
  repository: string,
  onto: TreeId,
  snapshot: SnapshotEvidence,
  generated: ReadonlySet<string>,
): Promise<Result<TreeId, readonly string[]>> {
  const taken = await mustReadCommit(repository, snapshot.commit);
  const theirs = await withoutGenerated(repository, taken, snapshot, generated);
  const base = await mustReadCommit(repository, snapshot.base);
  return await mergeTrees(repository, { base, ours: onto, theirs });
}

async function withoutGenerated(
  repository: string,
  taken: Commit,
  snapshot: SnapshotEvidence,
  generated: ReadonlySet<string>,
): Promise<Commit | TreeId> {
  if (generated.size === 0) return taken;
  const changes = await readChanges(repository, snapshot.base, snapshot.commit);
  const dropped = changes.filter((change) => generated.has(change.path));
  return dropped.length === 0 ? taken : await takeBack(repository, taken.tree, dropped);
}
