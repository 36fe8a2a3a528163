import type { Finding } from '../../domain/findings/finding.ts';
import type { DiffEntry } from '../../domain/gates/evidence.ts';
import { addedIn, namesAfter, pathTwins } from '../../domain/scope/path-twins.ts';

/** Added paths that some file system takes for something that is there already, a submodule too: checked out there, one of the two is lost. */
export function collisions(diff: readonly DiffEntry[], base: readonly { readonly path: string }[]): readonly Finding[] {
  const before = namesAfter(
    base.map(({ path }) => path),
    diff,
  );
  // twins within the diff are the finding of the scope gate
  const isThere = (name: string): boolean => before.some((path) => path === name || path.startsWith(`${name}/`));
  return pathTwins(addedIn(diff), before)
    .filter(({ first }) => isThere(first))
    .map(({ path, spelled, first }) => ({ rule: 'two-spellings', where: path, spelled, first }));
}
