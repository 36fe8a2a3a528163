import { git, objectId, openObjects } from '../../src/adapters/git/process/index.ts';
import type { CommitId } from '../../src/domain/base/ids.ts';

/** The content of a file of a commit; null where there is none. */
export async function readBlob(gitDir: string, commit: CommitId, path: string): Promise<Buffer | null> {
  const found = await git({ gitDir, args: ['ls-tree', '-z', '--full-tree', objectId(commit), '--', path] });
  const id = /^\d+ blob ([0-9a-f]+)\t/.exec(found.toString('utf8'))?.[1];
  if (id === undefined) return null;
  await using objects = openObjects(gitDir);
  return await objects.read(id);
}
