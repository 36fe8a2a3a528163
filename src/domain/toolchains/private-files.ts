import type { Look } from './look.ts';
import { nameOf } from './places.ts';

/** Not to be seen, though what it lies in is. */
export type Hidden = { readonly path: string; readonly kind: 'file' | 'directory' };

/** How many entries are looked at in all, for all directories of the PATH. */
export type Budget = { left: number };

/** More mounts than this for one directory, and the directory is hidden instead. */
const mostHidden = 64;

type Found = { readonly hidden: readonly Hidden[]; readonly shows: boolean };

/**
 * What is to be hidden in a directory that no row of the table speaks for: private files that are no programs, sockets, and what
 * begins with a dot. Installed packages have names like that too and are left as they are. Null: all of it, because nothing is left or
 * it is too much to look at.
 */
export function privateFilesIn(
  directory: string,
  look: Look,
  budget: Budget,
  isKnown: (path: string) => boolean,
): readonly Hidden[] | null {
  const found = search(directory, look, budget, isKnown);
  return found !== null && isWorthIt(found) ? found.hidden : null;
}

function search(directory: string, look: Look, budget: Budget, isKnown: (path: string) => boolean): Found | null {
  const listed = look.list(directory, budget.left);
  if (listed === null) return null;
  budget.left -= listed.length;
  const hidden: Hidden[] = [];
  let shows = false;
  for (const { path, kind } of listed) {
    const name = nameOf(path);
    if (kind === 'directory') {
      const inside =
        name === 'node_modules' || isKnown(path)
          ? { hidden: [], shows: true }
          : name.startsWith('.')
            ? null
            : search(path, look, budget, isKnown);
      if (inside !== null && isWorthIt(inside)) hidden.push(...inside.hidden);
      else hidden.push({ path, kind: 'directory' });
      shows ||= inside?.shows === true;
    } else if (kind === 'link' || (kind === 'file' && isForOthers(name, look.at(path)?.mode ?? 0))) shows = true;
    else hidden.push({ path, kind: 'file' });
  }
  return { hidden, shows };
}

/** Something is left of it, and few mounts hide the rest. */
const isWorthIt = ({ hidden, shows }: Found): boolean => hidden.length === 0 || (shows && hidden.length <= mostHidden);

const isForOthers = (name: string, mode: number): boolean =>
  (mode & 0o111) !== 0 || ((mode & 0o004) !== 0 && !name.startsWith('.'));
