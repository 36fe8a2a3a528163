import type { CommitId, TreeId } from '../../../domain/base/ids.ts';
import { git, objectId } from '../process/index.ts';
import { splitNul } from '../read/index.ts';

/** A path and what it is on both sides; mode `000000` where absent. */
export type Change = {
  readonly path: string;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
};

export const absent = '000000';

const options = ['-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--no-ext-diff', '--no-textconv'];

/** Every path that differs, renames as a delete and an add. */
export async function readChanges(
  gitDir: string,
  from: CommitId | TreeId,
  to: CommitId | TreeId,
): Promise<readonly Change[]> {
  const fields = splitNul(await git({ gitDir, args: ['diff-tree', ...options, objectId(from), objectId(to)] }));
  const found: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) found.push(parse(fields[at] ?? '', fields[at + 1] ?? ''));
  return found;
}

/** The same for many pairs of trees, in their order, for one process. */
export async function readManyChanges(
  gitDir: string,
  pairs: readonly (readonly [TreeId, TreeId])[],
): Promise<readonly (readonly Change[])[]> {
  const stdin = pairs.map(([from, to]) => `${objectId(from)} ${objectId(to)}\n`).join('');
  const text = (await git({ gitDir, stdin, args: ['diff-tree', '--stdin', ...options] })).toString('utf8');
  const found: Change[][] = [];
  // A line names each pair; what differs follows it, one field that begins with a colon and one path each.
  for (let at = 0; at < text.length; ) {
    if (text[at] !== ':') {
      found.push([]);
      at = text.indexOf('\n', at) + 1;
      continue;
    }
    const middle = text.indexOf('\0', at);
    const end = text.indexOf('\0', middle + 1);
    found.at(-1)?.push(parse(text.slice(at, middle), text.slice(middle + 1, end)));
    at = end + 1;
  }
  if (found.length !== pairs.length) throw new Error(`git compared ${found.length} pairs instead of ${pairs.length}`);
  return found;
}

function parse(field: string, path: string): Change {
  const [oldMode = '', newMode = '', oldId = '', newId = ''] = field.slice(1).split(' ');
  return { path, oldMode, newMode, oldId, newId };
}
