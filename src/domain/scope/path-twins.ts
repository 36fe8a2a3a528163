import { foldPath } from '../base/path-fold.ts';

/** `spelled` is new, and some file system takes it for `first`. Both are files, or directories that files lie in. */
export type PathTwin = { readonly path: string; readonly spelled: string; readonly first: string };

/**
 * New names that some file system takes for another name of the same tree: checked out there, one of the two is lost. A name counts as
 * new where nothing of `before` has it, so that twins which were there already do not count.
 */
export function pathTwins(added: readonly string[], before: readonly string[]): readonly PathTwin[] {
  if (added.length === 0) return [];
  const wanted = new Set(added.flatMap((path) => prefixesOf(foldPath(path))));
  const spellings = new Map<string, string>();
  const old = new Set<string>();
  for (const path of before) {
    const names = namesOf(path);
    for (const { folded, spelled } of names) {
      if (!wanted.has(folded)) continue;
      spellings.set(folded, spellings.get(folded) ?? spelled);
      old.add(spelled);
    }
  }
  return added.flatMap((path) => {
    for (const { folded, spelled } of namesOf(path)) {
      const first = spellings.get(folded);
      if (first === undefined) spellings.set(folded, spelled);
      else if (first !== spelled && !old.has(spelled)) return [{ path, spelled, first }];
    }
    return [];
  });
}

export const bothNames = (twins: readonly PathTwin[]): readonly string[] => [
  ...new Set(twins.flatMap(({ first, spelled }) => [first, spelled])),
];

/** What is in the tree after a change, as far as its names go. */
export function namesAfter(
  before: readonly string[],
  diff: readonly { readonly path: string; readonly change: string }[],
): readonly string[] {
  const gone = new Set(diff.filter(({ change }) => change === 'deleted').map(({ path }) => path));
  return gone.size === 0 ? before : before.filter((path) => !gone.has(path));
}

export const addedIn = (diff: readonly { readonly path: string; readonly change: string }[]): readonly string[] =>
  diff.filter(({ change }) => change === 'added').map(({ path }) => path);

/** The path and each directory above it. Folding changes no slash, so that both spellings have the same parts. */
function namesOf(path: string): readonly { readonly folded: string; readonly spelled: string }[] {
  const spelled = prefixesOf(path);
  return prefixesOf(foldPath(path)).map((folded, at) => ({ folded, spelled: spelled[at] ?? path }));
}

function prefixesOf(path: string): readonly string[] {
  const prefixes = [path];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    prefixes.push(path.slice(0, end));
  return prefixes.reverse();
}
