import { foldPath } from '../base/paths.ts';
import type { LinkFault } from '../findings/change-rules.ts';
import type { DiffEntry } from '../gates/evidence.ts';

/** A name or a kind of file that nobody may add, whoever owns the path. */
type PathFault =
  | { readonly rule: 'bad-path'; readonly fault: 'segments' | 'characters' }
  | { readonly rule: 'git-path' }
  | { readonly rule: 'reserved-path' }
  | { readonly rule: 'nested-repository' }
  | { readonly rule: 'bad-mode'; readonly mode: string }
  | { readonly rule: 'link-leaves'; readonly fault: LinkFault; readonly target: string };

/** Returns why a changed path is refused whoever owns it; null when it is not. */
export function unsafePath({ path, newMode, change, linkTarget }: DiffEntry): PathFault | null {
  const name = unsafeName(path);
  if (name !== null || change === 'deleted') return name;
  if (newMode === '160000') return { rule: 'nested-repository' };
  if (!['100644', '100755', '120000'].includes(newMode)) return { rule: 'bad-mode', mode: newMode };
  if (newMode === '120000' && linkTarget !== undefined) {
    const fault = linkFault(path, linkTarget);
    if (fault !== null) return { rule: 'link-leaves', fault, target: linkTarget };
  }
  return null;
}

/** The same for the name alone, before there is anything under it. */
export function unsafeName(path: string): PathFault | null {
  const segments = path.split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
    return { rule: 'bad-path', fault: 'segments' };
  if (segments.some(isGitName)) return { rule: 'git-path' };
  if (foldPath(segments[0] ?? '') === '.tidegate') return { rule: 'reserved-path' };
  if (path.includes('\\') || [...path].some((character) => character < ' ' || character === '\u007f'))
    return { rule: 'bad-path', fault: 'characters' };
  return null;
}

/**
 * Judged by spelling alone. `..` after a name is refused: the name may be a link itself, and then no one can
 * tell from the spelling where `..` leads.
 */
function linkFault(path: string, target: string): LinkFault | null {
  if (target === '' || target.includes('\0')) return 'empty';
  if (target.startsWith('/')) return 'absolute';
  const steps = target.split('/').filter((step) => step !== '' && step !== '.');
  const up = steps.findIndex((step) => step !== '..');
  const ups = up < 0 ? steps.length : up;
  if (steps.slice(ups).includes('..')) return 'unclear';
  if (ups > path.split('/').length - 1) return 'leaves';
  return steps.some(isGitName) ? 'git' : null;
}

/** `.git` in any case, with ignorable characters, trailing dots and blanks, streams, or as its NTFS short name. */
function isGitName(segment: string): boolean {
  const name = foldPath(segment)
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '');
  return name === '.git' || /^git~[0-9]+$/.test(name);
}

/** `spelled` is new, and some file system takes it for `first`. Both are files, or directories that files lie in. */
export type PathTwin = { readonly path: string; readonly spelled: string; readonly first: string };

/**
 * New names that some file system takes for another name of the same tree: checked out there, one of the two is lost. A name counts as
 * new where nothing of `before` has it, so that twins of the old tree do not count.
 */
export function pathTwins(added: readonly string[], before: readonly string[]): readonly PathTwin[] {
  if (added.length === 0) return [];
  const wanted = new Set(added.flatMap((path) => prefixesOf(foldPath(path))));
  const spellings = new Map<string, string>();
  const old = new Set<string>();
  for (const path of before) {
    for (const { folded, spelled } of namesOf(path)) {
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

/** Names in the tree after a change, without those that it adds. */
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
