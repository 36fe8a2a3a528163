import {
  type Commit,
  mergeTrees,
  mustReadCommit,
  readChanges,
  readCommits,
  takeBack,
} from '../../adapters/git/write/index.ts';
import type { CommitId, TreeId } from '../../domain/base/ids.ts';
import { ok, type Result } from '../../domain/base/result.ts';
import type { SnapshotEvidence } from '../../domain/gates/evidence.ts';

/** What a task changed since its base, put onto a tree; on conflict the files are named. */
type Integrate = (onto: TreeId, snapshot: SnapshotEvidence) => Promise<Result<TreeId, readonly string[]>>;

/**
 * Prepares to integrate these snapshots, whose commits are read at once. Edits of generated paths are left out here:
 * they are rebuilt on the candidate by their own command, whatever an agent made of them.
 */
export async function integrator(
  repository: string,
  snapshots: readonly SnapshotEvidence[],
  generated: ReadonlySet<string>,
): Promise<Integrate> {
  const commits = await readCommits(repository, [...new Set(snapshots.flatMap(({ commit, base }) => [commit, base]))]);
  const read = async (id: CommitId): Promise<Commit> => commits.get(id) ?? (await mustReadCommit(repository, id));
  return async (ours, snapshot) => {
    const taken = await read(snapshot.commit);
    const theirs = await withoutGenerated(repository, taken, snapshot, generated);
    const base = await read(snapshot.base);
    // Nothing happened since: what the task left is the result. In a chain every step is so.
    if (ours === base.tree) return ok(typeof theirs === 'string' ? theirs : theirs.tree);
    return await mergeTrees(repository, { base, ours, theirs });
  };
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
