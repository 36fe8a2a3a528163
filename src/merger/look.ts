import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** What is at a path of a working tree itself; null when nothing is, or when a parent is a link or a file. */
export function statsAt(root: string, path: string): Stats | null {
  for (const parent of parentsOf(path)) if (lookAt(join(root, parent))?.isDirectory() !== true) return null;
  return lookAt(join(root, path));
}

/** `a/b/c` is below `a` and `a/b`. */
export const parentsOf = (path: string): readonly string[] => {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
};

function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
