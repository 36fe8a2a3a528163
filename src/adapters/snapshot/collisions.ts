import type { DiffEntry } from '../../domain/evidence.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { foldPath } from '../../domain/path-fold.ts';

/** Added paths that some file system takes for a file that is there already: checked out there, one of the two is lost. */
export function collisions(diff: readonly DiffEntry[], base: readonly { readonly path: string }[]): readonly Finding[] {
  const added = diff.filter(({ change }) => change === 'added').map(({ path }) => ({ path, folded: foldPath(path) }));
  if (added.length === 0) return [];
  const wanted = new Set(added.map(({ folded }) => folded));
  const gone = new Set(diff.filter(({ change }) => change === 'deleted').map(({ path }) => path));
  const taken = new Map(
    base
      .filter(({ path }) => !gone.has(path))
      .map(({ path }) => [foldPath(path), path] as const)
      .filter(([folded]) => wanted.has(folded)),
  );
  return added.flatMap(({ path, folded }) => {
    const other = taken.get(folded);
    return other === undefined ? [] : [{ rule: 'two-spellings', where: path, spelled: path, first: other }];
  });
}
