import { below } from '../base/lexical-path.ts';
import { above, contains, hasLibraries, inSystem, isWide } from './places.ts';
import { isAmong } from './rows.ts';
import type { Visible } from './visible.ts';

type Failed = {
  /** The program that did not start in the fence, by its real path. */
  readonly program: string;
  /** What it printed. */
  readonly words: string;
  readonly visible: Pick<Visible, 'home' | 'shown'>;
  /** Whether a path is there on the machine itself. */
  isThere(path: string): boolean;
};

/**
 * The smallest thing that a person should make visible so that a program starts: what it says it misses, with what lies between; else
 * where it is installed. A guess: programs say this in many ways.
 */
export function pathToRead({ program, words, visible: { home, shown }, isThere }: Failed): string {
  const roots = shown.map(({ path }) => path);
  const named = words.match(/\/[^\s'"`:;,()[\]{}<>]+/g) ?? [];
  const missing = named.find(
    (path) => isThere(path) && !inSystem(path) && !isWide(path, home) && !isAmong(path, roots),
  );
  if (missing !== undefined) return installation(program, missing, home);
  if (!isAmong(program, roots)) return program;
  const root = above(above(program));
  return hasLibraries(above(program), home) && !isOwn(root, home) ? root : above(program);
}

/** The directory that both are in; of a place where a tool or a person keeps other things only the part that is missing. */
function installation(program: string, missing: string, home: string): string {
  let part = missing;
  for (let root = above(missing); !isWide(root, home) && !isOwn(root, home); root = above(root)) {
    part = root;
    if (contains(root, program)) return root;
  }
  return part;
}

/** `~/.tool`, where its credentials lie too. */
const isOwn = (path: string, home: string): boolean => /^\.[^/]+$/.test(below(home, path) ?? '');
