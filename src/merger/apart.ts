import { absent, type Change, readCommits, readManyChanges } from '../adapters/git/write/index.ts';
import type { TreeId } from '../domain/base/ids.ts';
import type { SnapshotEvidence } from '../domain/gates/evidence.ts';

/**
 * Returns the changes of each snapshot, in an order in which one can be written on the other, when no snapshot touches a path that
 * an earlier one changed in `onto`: a three-way merge would then take every path from the one side that changed it. Null when they
 * have to be merged. Changes of generated paths are left out.
 */
export async function changesApart(
  repository: string,
  onto: TreeId,
  snapshots: readonly SnapshotEvidence[],
  generated: ReadonlySet<string>,
): Promise<readonly (readonly Change[])[] | null> {
  const commits = await readCommits(repository, [...new Set(snapshots.flatMap(({ commit, base }) => [commit, base]))]);
  const pairs = snapshots.flatMap(({ commit, base }): (readonly [TreeId, TreeId])[] => {
    const [from, to] = [commits.get(base)?.tree, commits.get(commit)?.tree];
    return from === undefined || to === undefined
      ? []
      : [
          [onto, from],
          [from, to],
        ];
  });
  if (pairs.length !== 2 * snapshots.length) return null;
  const changes = await readManyChanges(repository, pairs);
  const sides = snapshots.map((_, at) => ({
    base: changes[2 * at] ?? [],
    own: (changes[2 * at + 1] ?? []).filter(({ path }) => !generated.has(path)).toSorted(removalsFirst),
  }));
  return areApart(sides) ? sides.map(({ own }) => own) : null;
}

/** A removed path may have to be out of the way of an added one: a file that became a directory. */
const removalsFirst = (a: Change, b: Change): number => Number(b.newMode === absent) - Number(a.newMode === absent);

/**
 * `base`: how the base of a side differs from where the stack starts; `own`: what the side then did. A side meets the others
 * where the stack has something else by now than the side's base had: at a path of its own, above or below one.
 */
export function areApart(
  sides: readonly { readonly base: readonly Change[]; readonly own: readonly Change[] }[],
): boolean {
  const stacked = new Map<string, string>();
  for (const { base, own } of sides) {
    const entries = new Map(base.map((change) => [change.path, entryOf(change)]));
    const foreign = [...new Set([...stacked.keys(), ...entries.keys()])].filter(
      (path) => stacked.get(path) !== entries.get(path),
    );
    const above = new Set(foreign.flatMap(foldersOf));
    const taken = new Set(foreign);
    const meets = ({ path }: Change): boolean =>
      taken.has(path) || above.has(path) || foldersOf(path).some((folder) => taken.has(folder));
    if (own.some(meets)) return false;
    for (const change of own) stacked.set(change.path, entryOf(change));
  }
  return true;
}

const entryOf = ({ newMode, newId }: Change): string => `${newMode} ${newId}`;

function foldersOf(path: string): readonly string[] {
  const folders: string[] = [];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) folders.push(path.slice(0, end));
  return folders;
}
