import { isPointer, type LfsRules, type Pointer, pointerText, readPointers } from '../git/lfs/index.ts';
import type { TreeEntry } from '../git/read/index.ts';
import { blobHash, type FileContent } from './content.ts';
import type { WalkedFile } from './walk.ts';

/** What a tree gets for a file that LFS keeps. */
export type LfsMapping = {
  has(path: string): boolean;
  /** A file that is what it was gives the very blob that stood for it. */
  keep(
    seen: FileContent,
    before: TreeEntry | undefined,
  ): { readonly id: string; readonly as: 'itself' | 'before' | Pointer };
};

/** `rules` null: nothing is kept by LFS. */
export async function lfsMapping(
  repository: string,
  rules: LfsRules | null,
  of: {
    readonly touched: readonly WalkedFile[];
    readonly from: ReadonlyMap<string, TreeEntry>;
    readonly format: 'sha1' | 'sha256';
  },
): Promise<LfsMapping> {
  const paths = (await rules?.(of.touched.map(({ path }) => path))) ?? new Set<string>();
  const known = await readPointers(
    repository,
    [...paths].flatMap((path) => of.from.get(path)?.id ?? []),
  );
  return {
    has: (path) => paths.has(path),
    keep({ id, oid, size, start }, before) {
      if (id === before?.id) return { id, as: 'itself' };
      const meant = before === undefined ? undefined : known.get(before.id);
      if (before !== undefined && meant?.oid === oid && meant.size === size) return { id: before.id, as: 'before' };
      // As git-lfs does: an empty file and a pointer stand for themselves.
      if (size === 0 || (start.length === size && isPointer(start))) return { id, as: 'itself' };
      const text = pointerText({ oid, size });
      return { id: blobHash(text.length, of.format).update(text).digest('hex'), as: { oid, size } };
    },
  };
}
