import { foldPath } from '../base/path-fold.ts';
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

/** Why a changed path must not be taken whoever owns it; null when there is no reason. */
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
