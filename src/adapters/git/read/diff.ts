import type { CommitId, TreeId } from '../../../domain/base/ids.ts';
import type { DiffEntry } from '../../../domain/gates/evidence.ts';
import { git, objectId, openObjects } from '../process/index.ts';
import { splitNul } from './tree.ts';

/** With the object id of the new side; all zeros when it was deleted. */
export type RawDiffEntry = DiffEntry & { readonly id: string };

/** What changed between two commits or trees, by git's own trees alone: no renames, no drivers, no working tree. */
export async function readDiff(
  gitDir: string,
  from: CommitId | TreeId,
  to: CommitId | TreeId,
): Promise<readonly DiffEntry[]> {
  return await nameLinks(gitDir, await rawDiff(gitDir, from, to));
}

/** Adds the targets of links, drops the ids. */
export async function nameLinks(gitDir: string, changes: readonly RawDiffEntry[]): Promise<readonly DiffEntry[]> {
  if (!changes.some(isNewLink)) return changes.map(({ id: _, ...entry }) => entry);
  await using objects = openObjects(gitDir);
  return await Promise.all(
    changes.map(async ({ id, ...entry }) =>
      isNewLink(entry) ? { ...entry, linkTarget: (await objects.read(id))?.toString('utf8') ?? '' } : entry,
    ),
  );
}

const isNewLink = (entry: DiffEntry): boolean => entry.newMode === '120000';

/** The same with object ids, without link targets. */
export async function rawDiff(
  gitDir: string,
  from: CommitId | TreeId,
  to: CommitId | TreeId,
): Promise<readonly RawDiffEntry[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--no-ext-diff', '--no-textconv'];
  const records = splitNul(await git({ gitDir, args: [...args, objectId(from), objectId(to)] }));
  const entries: RawDiffEntry[] = [];
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [oldMode = '', newMode = '', , id = '', status = ''] = (records[at] ?? '').slice(1).split(' ');
    entries.push({ path: records[at + 1] ?? '', change: changeOf(status), oldMode, newMode, id });
  }
  return entries;
}

/** `T` (type changed) is a modification like any other: the modes tell it. */
function changeOf(status: string): DiffEntry['change'] {
  if (status === 'A') return 'added';
  return status === 'D' ? 'deleted' : 'modified';
}
