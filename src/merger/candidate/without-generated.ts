import { type Commit, readChanges, takeBack } from '../../adapters/git/write/index.ts';
import type { TreeId } from '../../domain/base/ids.ts';
import type { SnapshotEvidence } from '../../domain/gates/evidence.ts';

/** A snapshot without its edits of generated paths: these are rebuilt on the candidate, whatever an agent made of them. */
export async function withoutGenerated(
  repository: string,
  taken: Commit,
  snapshot: Pick<SnapshotEvidence, 'base' | 'commit'>,
  generated: ReadonlySet<string>,
): Promise<Commit | TreeId> {
  if (generated.size === 0) return taken;
  const changes = await readChanges(repository, snapshot.base, snapshot.commit);
  const dropped = changes.filter((change) => generated.has(change.path));
  return dropped.length === 0 ? taken : await takeBack(repository, taken.tree, dropped);
}
