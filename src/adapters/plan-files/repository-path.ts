import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

/**
 * The file that `path` names from `directory`, if it lies in the repository: by its spelling, and by where links lead.
 * A file that does not exist counts by its spelling; reading it will say that it is missing.
 */
export async function insideRepository(root: string, directory: string, path: string): Promise<string | null> {
  if (isAbsolute(path) || path.includes('\0')) return null;
  const spelled = resolve(directory, path);
  if (!isWithin(root, spelled)) return null;
  const real = await realpath(spelled).catch(missing);
  return real === null || isWithin(await realpath(root), real) ? spelled : null;
}

/** As people write it: from the root, with `/`. */
export const pathFromRoot = (root: string, path: string): string => relative(root, path).split(sep).join('/') || '.';

export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

export const fromRoot = (root: string, path: string): string => (isAbsolute(path) ? path : join(root, path));

function missing(error: unknown): null {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG' || code === 'EACCES')
    return null;
  throw error;
}
