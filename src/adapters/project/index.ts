import { lstat, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { RepositoryFiles } from '../../domain/project/project.ts';
import { temporaryFor } from '../files/durable-file.ts';
import { hasCode, isAbsent } from '../files/state-file.ts';
import { git } from '../git/process/index.ts';
import { openIgnoreRules, splitNul } from '../git/read/index.ts';

/** Lists the checkout as git sees it and reads well-known files; runs nothing of the project. */
export async function lookAtProject(toplevel: string): Promise<RepositoryFiles> {
  const list = async (...which: readonly string[]) =>
    splitNul(await git({ cwd: toplevel, args: ['ls-files', '-z', '--exclude-standard', ...which] }));
  const [files, ignored] = await Promise.all([
    list('--cached', '--others', '--deduplicate'),
    list('--others', '--ignored', '--directory'),
  ]);
  const readable = files.filter((path) => wellKnown.test(path) && path.split('/').length <= 4).slice(0, mostRead);
  const texts = await Promise.all(readable.map(async (path) => [path, await plainText(join(toplevel, path))] as const));
  await using rules = openIgnoreRules(new Map([['', (await plainText(join(toplevel, '.gitignore'))) ?? '']]));
  const isIgnored = await rules.ignores(products.map((name) => `${name}/`));
  return {
    files,
    ignored,
    wouldIgnore: products.filter((_, at) => isIgnored[at]),
    texts: Object.fromEntries(texts.flatMap(([path, text]) => (text === null ? [] : [[path, text]]))),
  };
}

const wellKnown =
  /(^|\/)(package\.json|pyproject\.toml|requirements[\w-]*\.txt|dev-requirements\.txt|setup\.cfg|tox\.ini|Cargo\.(toml|lock)|go\.mod|[Mm]akefile)$/;
const products = ['node_modules', '.venv', 'target', 'vendor'];
const mostRead = 500;
const longest = 1 << 20;

/** Null when it is no regular file, or too long for its kind. */
async function plainText(path: string): Promise<string | null> {
  try {
    const stats = await lstat(path);
    return stats.isFile() && stats.size <= longest ? await readFile(path, 'utf8') : null;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** Returns the text of a file at the top; null when there is none. */
export const readTopFile = (toplevel: string, name: string): Promise<string | null> => plainText(join(toplevel, name));

/** Writes a file that must not be there yet. With `replace` the old one is kept beside it as `<name>.old`. */
export async function writeNewFile(
  path: string,
  text: string,
  { replace }: { readonly replace: boolean },
): Promise<'written' | 'replaced' | 'exists'> {
  try {
    await writeFile(path, text, { flag: 'wx' });
    return 'written';
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    if (!replace) return 'exists';
  }
  await rename(path, `${path}.old`);
  await writeFile(path, text, { flag: 'wx' });
  return 'replaced';
}

/** The new text appears whole, with the permissions of the old one. */
export async function rewriteFile(path: string, text: string): Promise<void> {
  const { mode } = await lstat(path);
  const fresh = temporaryFor(path);
  await writeFile(fresh, text, { flag: 'wx', mode: mode & 0o777 });
  await rename(fresh, path);
}

/** Files that commands read and write where the person says. */
export const planFileAccess = {
  /** Null when there is no such file. */
  async read(path: string): Promise<string | null> {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    }
  },
  async write(path: string, text: string): Promise<'written' | 'exists' | 'no-folder'> {
    try {
      return (await writeNewFile(path, text, { replace: false })) === 'written' ? 'written' : 'exists';
    } catch (error) {
      if (isAbsent(error)) return 'no-folder';
      throw error;
    }
  },
  isThere: (path: string): Promise<boolean> =>
    lstat(path).then(
      () => true,
      () => false,
    ),
  resolve,
};
