import { join, type ProjectFiles, parentOf, pathFrom, type Reading } from './reading.ts';

/** Configuration that extends configuration: deeper than anyone writes. */
const deepest = 8;

/**
 * A configuration file, or a pattern of them. Those that exist are read for what they extend, which is configuration itself, and for what
 * they import or load by a relative path. Imports of imports are not followed: such a file is `unread`.
 */
export function defineConfig(reading: Reading, pattern: string, keys?: readonly string[]): void {
  if (keys === undefined) reading.define(pattern);
  else reading.define(pattern, keys);
  for (const path of existingFiles(reading.files, pattern)) follow(reading, path, deepest);
}

function follow(reading: Reading, path: string, left: number): void {
  const text = reading.files.text(path);
  if (text === null) return;
  const place = parentOf(path);
  const references = /(^|\/)tsconfig[^/]*\.json$/.test(path) ? wordsAfter(text, referring) : [];
  for (const word of [...wordsAfter(text, extending), ...references])
    for (const other of extended(reading.files, place, word)) {
      reading.define(other);
      if (left > 0) follow(reading, other, left - 1);
    }
  for (const word of [...imported(text), ...wordsAfter(text, loading)])
    for (const other of relative(reading.files, place, word)) {
      reading.define(other);
      if (imported(reading.files.text(other) ?? '').length > 0) reading.unread(other);
    }
}

/** A list in brackets, a list of YAML, a text in quotes, or the rest of the line. */
const value = /[^\S\n]*[:=](\s*\[[^\]]*\]|(?:[^\S\n]*\n[^\S\n]*-[^\n]*)+|\s*(["'`])[^"'`\n]*\2|[^\n,}]*)/.source;
const keyed = (names: string): RegExp => new RegExp(`(?<![\\w.-])["']?(?:${names})["']?${value}`, 'g');
const extending = keyed('extends?|inherit_from|preset');
const referring = keyed('path');
const loading = keyed('setupFiles|setupFilesAfterEnv|globalSetup|globalTeardown');

/** The words of the values that these keys have: one, or a list. */
const wordsAfter = (text: string, keys: RegExp): readonly string[] =>
  [...text.matchAll(keys)]
    .flatMap(([, values = '']) => values.match(/[^\s"'`,[\]{}]+/g) ?? [])
    .filter((word) => word !== '-');

const imported = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:from|import|require(?:\.resolve)?)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g)].map(
    ([, , specifier = '']) => specifier,
  );

/** A file beside it needs no `./` in some formats; names of packages are no files. */
function extended(files: ProjectFiles, place: string, word: string): readonly string[] {
  const path = pathFrom(place, word);
  return /^(\.|<rootDir>)/.test(word) || (path !== null && files.has(path)) ? relative(files, place, word) : [];
}

/** The file that a relative path means, with the ending that it may leave out; as it is written when there is none. */
function relative(files: ProjectFiles, place: string, word: string): readonly string[] {
  const path = /^(\.\.?\/|<rootDir>\/|[^./<])/.test(word) ? pathFrom(place, word.replace(/^<rootDir>\//, './')) : null;
  if (path === null || path === '') return [];
  const source = path.replace(/\.([cm]?)js$/, '.$1ts');
  const found = [path, source, ...endings.map((ending) => `${path}${ending}`)].find((one) => files.has(one));
  return [found ?? path];
}

const endings = [
  ...['.json', '.js', '.ts', '.mjs', '.cjs', '.mts', '.cts'],
  ...['/tsconfig.json', '/index.js', '/index.ts'],
];

/** Files that a pattern with `*` in its last name, or with a `**` before that, matches. */
export function existingFiles(files: ProjectFiles, pattern: string): readonly string[] {
  if (!pattern.includes('*')) return files.has(pattern) ? [pattern] : [];
  const [, place = '', deep, name = ''] = /^(.*?)(?:^|\/)?(\*\*\/)?([^/]*)$/.exec(pattern) ?? [];
  const isNamed = new RegExp(`^${name.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`);
  const directories = namesByDirectory(files.paths);
  const isBelow = (directory: string) => place === '' || directory === place || directory.startsWith(`${place}/`);
  const places = deep === undefined ? [place] : [...directories.keys()].filter(isBelow);
  return places.flatMap((directory) =>
    (directories.get(directory) ?? []).filter((one) => isNamed.test(one)).map((one) => join(directory, one)),
  );
}

const known = new WeakMap<readonly string[], ReadonlyMap<string, readonly string[]>>();

function namesByDirectory(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const before = known.get(paths);
  if (before !== undefined) return before;
  const made = new Map<string, string[]>();
  for (const path of paths) {
    const directory = parentOf(path);
    const names = made.get(directory) ?? [];
    names.push(path.slice(directory === '' ? 0 : directory.length + 1));
    made.set(directory, names);
  }
  known.set(paths, made);
  return made;
}
