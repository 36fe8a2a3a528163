/**
 * Paths that work on a file comes to, beside the file itself. By fixed rules over names: whether there are such files is not looked at,
 * and none has a `**` at its beginning, which would meet what is protected.
 */

/** Work that makes several files of one, or takes a part of it elsewhere. */
export const dividesFiles = (text: string): boolean => dividing.test(text);
const dividing =
  /\b(?:refactor|split|extract|divide|break|separate|modulari[sz]e|restructure|reorgani[sz]e|decompose)(?:s|ed|ing)?\b|\binto (?:\w+ ){0,3}(?:modules?|files?|parts?|packages?|components?|classes)\b/iu;

/** A file or folder of code, whose tests are other files. */
export function isCode(path: string): boolean {
  const { name, extension, isFolder } = partsOf(path);
  if (isTest(path) || /[*?]/.test(name)) return false;
  return isFolder ? !/^(?:docs?|config|public)\b/.test(path) : codeExtensions.has(extension);
}

/** By a whole word of its name: `src/inspector.ts` is none. */
export const isTest = (path: string): boolean =>
  /(?:^|[/._?*-])(?:tests?|specs?|e2e|__tests__)(?=$|[/._?*-])/iu.test(path) ||
  /[a-z](?:Test|Spec)s?\.\w+$/u.test(path);

/** Where the tests of a file or folder are, in what projects usually do. */
export function testsOf(path: string): readonly string[] {
  const { directory, name, extension, isFolder } = partsOf(path);
  const inFolders = testFolders.map((folder) => `${folder}/**/*${name}*`);
  if (isFolder) return [...inFolders, ...testFolders.map((folder) => `${folder}/**/${name}/**`)];
  return [
    ...['test', 'spec'].map((word) => `${directory}${name}?${word}.*`),
    ...byLanguage(path, extension),
    ...inFolders,
  ];
}

/** Where the files of a division go, and their tests, whatever they are called. */
export function siblingsOf(path: string): readonly string[] {
  const { directory, name, extension, isFolder } = partsOf(path);
  if (isFolder) return testTrees;
  const tests = byLanguage(path, extension)
    .map((pattern) => pattern.replace(/(?:\*\*\/)?[^/]+$/, '**'))
    .filter((pattern) => pattern !== `${directory}**`);
  return [`${directory}*.${extension}`, `${directory}${name}/**`, ...tests, ...testTrees];
}

const testFolders = ['test', 'tests'];
/** All tests of a project. */
export const testTrees: readonly string[] = testFolders.map((folder) => `${folder}/**`);

function byLanguage(path: string, extension: string): readonly string[] {
  const { directory, name } = partsOf(path);
  if (extension === 'py') return [`${directory}test?${name}.*`];
  if (extension === 'rb' || extension === 'php') return [`spec/**/*${name}*`];
  if (['java', 'kt', 'scala'].includes(extension) && path.includes('/main/'))
    return [`${directory.replace('/main/', '/test/')}*${name}*`];
  return /^[jt]sx?$|^m[jt]s$|^vue$|^svelte$/.test(extension) ? [`${directory}__tests__/*${name}*`] : [];
}

/** `directory` is empty or ends with a slash. */
function partsOf(path: string) {
  const trimmed = path.replace(/(?:\/|\/\*\*)$/, '');
  const directory = trimmed.slice(0, trimmed.lastIndexOf('/') + 1);
  const last = trimmed.slice(directory.length);
  const extension = /[^.]\.(\w+)$/.exec(last)?.[1]?.toLowerCase() ?? '';
  const isFolder = trimmed !== path || extension === '';
  return { directory, name: isFolder ? last : last.slice(0, -extension.length - 1), extension, isFolder };
}

const codeExtensions: ReadonlySet<string> = new Set(
  'bash c cc cpp cs dart ex exs go h hpp java js jsx kt lua mjs ml mts php pl py r rb rs scala sh sql svelte swift ts tsx vue zig'.split(
    ' ',
  ),
);
