import { mergeTrees, mustReadCommit, readChanges, takeBack } from '../adapters/git-write/index.ts';
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
  const { tree } = await mustReadCommit(repository, snapshot.commit);
  const theirs = await withoutGenerated(repository, tree, snapshot, generated);
  return await mergeTrees(repository, { base: snapshot.base, ours: onto, theirs });
}

async function withoutGenerated(
  repository: string,
  tree: TreeId,
  snapshot: SnapshotEvidence,
  generated: ReadonlySet<string>,
): Promise<TreeId> {
  if (generated.size === 0) return tree;
  const changes = await readChanges(repository, snapshot.base, snapshot.commit);
  return await takeBack(
    repository,
    tree,
    changes.filter((change) => generated.has(change.path)),
  );
}
