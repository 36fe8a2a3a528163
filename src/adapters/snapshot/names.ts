import type { Finding } from '../../domain/findings/finding.ts';
import type { DiffEntry } from '../../domain/gates/evidence.ts';
import { addedIn, namesAfter, pathTwins } from '../../domain/scope/path-safety.ts';

/** Top-level names that are never part of a snapshot: git's own directory and ours. */
export const reservedAtTop: ReadonlySet<string> = new Set(['.git', '.tidegate']);

/**
 * Names that some file system takes for `.git` (HFS+ drops invisible characters, NTFS drops trailing dots and spaces
 * and knows `git~1`). A tree that holds one is refused by git itself elsewhere.
 */
export function isGitName(name: string): boolean {
  return name.split('\\').some((part) => {
    const plain = part.replace(invisible, '').normalize('NFC').toLowerCase();
    return /^(?:\.git|git~1)[ .]*(?::.*)?$/.test(plain);
  });
}

/** Names that some file system takes for `.gitmodules`. Git reads it at the top only, and refuses what is wrong in it anywhere. */
export function isModulesName(name: string): boolean {
  const plain = name.replace(invisible, '').normalize('NFC').toLowerCase();
  return /^(?:\.gitmodules|gitmod~[1-4]|gi7eba~[1-9])[ .]*(?::.*)?$/.test(plain);
}

/** Names that a tool which reads lines would split. */
export const isUnfitName = (name: string): boolean => /[\n\r\0]/.test(name);

const invisible = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Finds added paths that some file system takes for an existing one, submodules included: a checkout there would lose one of the two. */
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
