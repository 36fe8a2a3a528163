import type { Finding } from '../../domain/verdict.ts';
import type { TreeEntry } from '../git-read/index.ts';
import { statPrint } from '../workspace/index.ts';
import { blobId } from './content.ts';
import type { Found, Walk } from './walk.ts';

export type Write = { readonly found: Found; readonly mode: string; readonly id: string };
/** What turns the tree that a workspace was made from into the workspace's. */
export type Changes = {
  readonly writes: readonly Write[];
  readonly deletes: readonly string[];
  readonly refused: readonly Finding[];
};

export type SizeLimits = { readonly file: number; readonly total: number };

/** Compares what the walk found with the tree that the workspace was made from. Only files whose print is not in the cache are read. */
export function findChanges(input: {
  readonly root: string;
  readonly walk: Walk;
  readonly from: ReadonlyMap<string, TreeEntry>;
  /** path → print and object id of the file when the workspace was made */
  readonly cache: ReadonlyMap<string, { readonly print: string; readonly id: string }>;
  /** path → print of files copied in by `.worktreeinclude`; unchanged ones are the person's, not work. */
  readonly included: ReadonlyMap<string, string>;
  readonly format: 'sha1' | 'sha256';
  readonly limits: SizeLimits;
}): Changes {
  const { root, from, cache } = input;
  const writes: Write[] = [];
  const refused: Finding[] = [];
  const present = new Set<string>();
  let total = 0;
  for (const found of input.walk.found) {
    const { path, stats } = found;
    present.add(path);
    const before = from.get(path);
    const print = statPrint(stats);
    const cached = cache.get(path);
    const mode = modeOf(found);
    if (before !== undefined && cached?.print === print && cached.id === before.id && mode === before.mode) continue;
    if (before === undefined && input.included.get(path) === print) continue;
    const size = Number(stats.size);
    if (size > input.limits.file) {
      refused.push({ rule: 'too-large', detail: `larger than ${input.limits.file} bytes`, where: path });
      continue;
    }
    const id = readable(refused, path, () => blobId(root, found, input.format));
    if (id === null || (id === before?.id && mode === before.mode)) continue;
    total += size;
    if (total > input.limits.total)
      refused.push({ rule: 'too-large', detail: `more than ${input.limits.total} new bytes in all`, where: path });
    else writes.push({ found, mode, id });
  }
  return { writes, deletes: deleted(from, present, input.walk.unseen), refused };
}

function modeOf({ stats }: Found): string {
  if (stats.isSymbolicLink()) return '120000';
  return (stats.mode & 0o100n) === 0n ? '100644' : '100755';
}

/** Submodules, our own directory and whatever could not be looked at are never taken for deleted. */
function deleted(
  from: ReadonlyMap<string, TreeEntry>,
  present: ReadonlySet<string>,
  unseen: readonly string[],
): readonly string[] {
  const hidden = (path: string) =>
    path.startsWith('.tidegate/') || unseen.some((gone) => gone === '' || path === gone || path.startsWith(`${gone}/`));
  return [...from.values()]
    .filter((entry) => entry.mode !== '160000' && !present.has(entry.path) && !hidden(entry.path))
    .map((entry) => entry.path);
}

function readable(refused: Finding[], path: string, read: () => string): string | null {
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    refused.push({ rule: 'unreadable', detail: 'the file cannot be read', where: path });
    return null;
  }
}
