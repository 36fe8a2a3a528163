import { below } from '../base/paths.ts';
import { above, contains, hasLibraries, inSystem, isAmong, isWide } from './rows.ts';
import type { ShowRule, Visible } from './visible.ts';

/** Says in a few words why a file of the person is visible in a fence. */
export function describeRule(rule: ShowRule, home: string): string {
  switch (rule.rule) {
    case 'row':
      return rule.row;
    case 'directory':
      return 'on your PATH';
    case 'programs':
      return 'a program on your PATH; the rest of its directory is not visible';
    case 'beside':
      return 'libraries beside a bin on your PATH';
    case 'package':
      return `the package that ${homely(rule.from, home)} leads to`;
    case 'program':
      return `the program that ${homely(rule.from, home)} leads to`;
  }
}

export const hiddenReasons: Readonly<Record<Visible['left'][number]['why'], string>> = {
  closed: 'in the checkout or the state directory',
  'made-anew': 'the fence has a directory of its own there',
  'too-much': 'too many files to look through',
};

/** Writes a path below home with `~`. */
export function homely(path: string, home: string): string {
  const inside = below(home, path);
  return inside === null ? path : inside === '' ? '~' : `~/${inside}`;
}

/** Returns the line of configuration that makes these paths visible. */
export function readLine(paths: readonly string[], home: string): string {
  const shown = paths.map((path) => homely(path, home));
  const written = shown.map((path) => (/^[\w~/.@+-]+$/.test(path) ? path : JSON.stringify(path)));
  return `fence: { read: [${written.join(', ')}] }`;
}

type FailedStart = {
  /** The program that did not start in the fence, by its real path. */
  readonly program: string;
  /** Its output. */
  readonly words: string;
  readonly visible: Pick<Visible, 'home' | 'shown'>;
  /** True when the path exists on the machine itself. */
  isThere(path: string): boolean;
};

/**
 * Guesses the smallest path to make visible so that the program starts: the file that its output names as missing, with the directory
 * that both are in; otherwise the place where it is installed.
 */
export function pathToRead({ program, words, visible: { home, shown }, isThere }: FailedStart): string {
  const roots = shown.map(({ path }) => path);
  const mentioned = words.match(/\/[^\s'"`:;,()[\]{}<>]+/g) ?? [];
  const missing = mentioned.find(
    (path) => isThere(path) && !inSystem(path) && !isWide(path, home) && !isAmong(path, roots),
  );
  if (missing !== undefined) return installation(program, missing, home);
  if (!isAmong(program, roots)) return program;
  const root = above(above(program));
  return hasLibraries(above(program), home) && !isOwn(root, home) ? root : above(program);
}

/** Returns the directory that holds both paths, or only the missing part where the directory holds other things too. */
function installation(program: string, missing: string, home: string): string {
  let part = missing;
  for (let root = above(missing); !isWide(root, home) && !isOwn(root, home); root = above(root)) {
    part = root;
    if (contains(root, program)) return root;
  }
  return part;
}

/** True for `~/.tool`, which holds the credentials of the tool too. */
const isOwn = (path: string, home: string): boolean => /^\.[^/]+$/.test(below(home, path) ?? '');
