import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

type InstalledProgram = {
  /** The real path, with links followed. */
  readonly path: string;
  /** The directory that a fence has to show for it, whatever the PATH shows: the packages that it lies in, or else the program alone. */
  readonly root: string;
};

/** Finds a program like a shell. Null when there is none. */
export function findProgram(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
  resolve: (found: string) => string,
): InstalledProgram | null {
  const directories = name.includes('/') ? [''] : (environment['PATH'] ?? '').split(delimiter);
  const found = directories
    .map((directory) => join(directory, name))
    .find((path) => path.startsWith('/') && isProgram(path));
  if (found === undefined) return null;
  const path = resolve(realpathSync(found));
  return { path, root: rootOf(path) };
}

/** A package needs its siblings: all of the outermost `node_modules` that it lies in. */
function rootOf(path: string): string {
  const packages = path.indexOf('/node_modules/');
  return packages < 0 ? path : path.slice(0, packages + '/node_modules'.length);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return false;
  }
}
