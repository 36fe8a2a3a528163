import { bytes, type Match, wildmatch } from './wildmatch.ts';

/** Says whether an untracked path is left out. Directories are asked first: below an ignored one nothing comes back. */
export type IgnoreRules = (path: string, isDirectory: boolean) => boolean;

/**
 * Git's rules over the `.gitignore` files of one commit, by directory (`''` is the top): the deepest file that says
 * anything about a path decides, in it the last line that does. Files that an agent wrote or changed have no say.
 * Our own, because a pattern that is read more widely than git reads it would lose work.
 */
export function ignoreRules(files: ReadonlyMap<string, string>): IgnoreRules {
  const compiled = new Map([...files].map(([directory, text]) => [directory, parseIgnoreFile(text)]));
  return (path, isDirectory) => {
    for (let end = path.lastIndexOf('/'); ; end = path.lastIndexOf('/', end - 1)) {
      const rules = compiled.get(end < 0 ? '' : path.slice(0, end));
      const rule = rules === undefined ? undefined : lastMatch(rules, path.slice(end + 1), isDirectory);
      if (rule !== undefined) return !rule.negative;
      if (end < 0) return false;
    }
  };
}

type Rule = {
  readonly negative: boolean;
  readonly directoriesOnly: boolean;
  /** Without a slash in the pattern only the last part of a path is compared. */
  readonly nameOnly: boolean;
  readonly matches: Match;
};

function lastMatch(rules: readonly Rule[], path: string, isDirectory: boolean): Rule | undefined {
  const whole = bytes(path);
  const name = whole.slice(whole.lastIndexOf('/') + 1);
  return rules.findLast((rule) => (isDirectory || !rule.directoriesOnly) && rule.matches(rule.nameOnly ? name : whole));
}

function parseIgnoreFile(text: string): readonly Rule[] {
  return text
    .replace(/^\ufeff/, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => parsePattern(withoutTrailingSpaces(line.replace(/\r$/, ''))));
}

function parsePattern(line: string): Rule {
  const negative = line.startsWith('!');
  const positive = negative ? line.slice(1) : line;
  const directoriesOnly = positive.endsWith('/');
  const pattern = directoriesOnly ? positive.slice(0, -1) : positive;
  const nameOnly = !pattern.includes('/');
  return { negative, directoriesOnly, nameOnly, matches: matcher(pattern.replace(/^\//, '')) };
}

/** Most lines are plain names. */
function matcher(pattern: string): Match {
  const wanted = bytes(pattern);
  if (wanted === '') return () => false;
  return /[*?[\\]/.test(wanted) ? wildmatch(wanted) : (path) => path === wanted;
}

/** A space counts at the end only behind a backslash. */
function withoutTrailingSpaces(line: string): string {
  const kept = /^(?:[^\\ ]|\\.|\\$| +(?=[^ ]))*/s.exec(line)?.[0] ?? '';
  return kept;
}
