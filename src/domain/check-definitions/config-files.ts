import { join, type ProjectFiles, parentOf, pathFrom, type Reading } from './reading.ts';

/** The deepest chain of extended configuration that is followed. */
const deepest = 8;

/**
 * Adds a configuration file or pattern. Existing files are read for the configuration that they extend and for files that they import or
 * load by a relative path. Imports of imports are not followed: such a file is `unread`.
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
    for (const other of extendedFiles(reading.files, place, word)) {
      reading.define(other);
      if (left > 0) follow(reading, other, left - 1);
    }
  for (const word of [...importsIn(text), ...wordsAfter(text, loading)])
    for (const other of relativeFiles(reading.files, place, word)) {
      reading.define(other);
      if (importsIn(reading.files.text(other) ?? '').length > 0) reading.unread(other);
    }
}

/** Matches a bracketed list, a YAML list, a quoted text, or the rest of the line. */
const value = /[^\S\n]*[:=](\s*\[[^\]]*\]|(?:[^\S\n]*\n[^\S\n]*-[^\n]*)+|\s*(["'`])[^"'`\n]*\2|[^\n,}]*)/.source;
const keyed = (names: string): RegExp => new RegExp(`(?<![\\w.-])["']?(?:${names})["']?${value}`, 'g');
const extending = keyed('extends?|inherit_from|preset');
const referring = keyed('path');
const loading = keyed('setupFiles|setupFilesAfterEnv|globalSetup|globalTeardown');

/** Returns the words in the values of these keys. */
const wordsAfter = (text: string, keys: RegExp): readonly string[] =>
  [...text.matchAll(keys)]
    .flatMap(([, values = '']) => values.match(/[^\s"'`,[\]{}]+/g) ?? [])
    .filter((word) => word !== '-');

const importsIn = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:from|import|require(?:\.resolve)?)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g)].map(
    ([, , specifier = '']) => specifier,
  );

/** Returns the file that an extended name means. Some formats need no `./`; names of packages are not files. */
function extendedFiles(files: ProjectFiles, place: string, word: string): readonly string[] {
  const path = pathFrom(place, word);
  return /^(\.|<rootDir>)/.test(word) || (path !== null && files.has(path)) ? relativeFiles(files, place, word) : [];
}

/** Returns the file that a relative path means, with an extension that it may omit; the path itself when there is none. */
function relativeFiles(files: ProjectFiles, place: string, word: string): readonly string[] {
  const path = /^(\.\.?\/|<rootDir>\/|[^./<])/.test(word) ? pathFrom(place, word.replace(/^<rootDir>\//, './')) : null;
  if (path === null || path === '') return [];
  const source = path.replace(/\.([cm]?)js$/, '.$1ts');
  const file = [path, source, ...endings.map((ending) => `${path}${ending}`)].find((one) => files.has(one));
  return [file ?? path];
}

const endings = [
  ...['.json', '.js', '.ts', '.mjs', '.cjs', '.mts', '.cts'],
  ...['/tsconfig.json', '/index.js', '/index.ts'],
];

/** Returns the files that match a pattern with `*` in its last name, or with `**` before it. */
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

const directoryIndex = new WeakMap<readonly string[], ReadonlyMap<string, readonly string[]>>();

function namesByDirectory(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const cached = directoryIndex.get(paths);
  if (cached !== undefined) return cached;
  const index = new Map<string, string[]>();
  for (const path of paths) {
    const directory = parentOf(path);
    const names = index.get(directory) ?? [];
    names.push(path.slice(directory === '' ? 0 : directory.length + 1));
    index.set(directory, names);
  }
  directoryIndex.set(paths, index);
  return index;
}
