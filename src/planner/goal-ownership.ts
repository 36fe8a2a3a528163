import type { Role } from '../domain/plan/plan.ts';
import { intersect, matches, parsePattern, pattern } from '../domain/scope/pattern.ts';
import { steeringIn } from '../domain/scope/steering.ts';
import { mentions, pathsIn, wordsOf } from './goal-text.ts';
import { most } from './sizing.ts';

/** The paths that a task may change. */
export type Ownership = {
  /** Null: whatever no other task claims. */
  readonly owns: readonly string[] | null;
  /** True when that includes tests for its changes. */
  readonly tests: boolean;
  /** True when it splits one file into several. */
  readonly divides: boolean;
};
export const nothingOwned: Ownership = { owns: [], tests: false, divides: false };

/** The paths that a text names as what is to change, and those that go with them. None where it also asks for tests and names none of theirs. */
export function ownedIn(
  scene: { readonly protect: readonly string[]; readonly notes: string[] },
  text: string,
  role: Role,
): Ownership {
  const divides = dividesFiles(text);
  const free: Ownership = { owns: null, tests: true, divides };
  const named = pathsIn(text.replaceAll(divides ? referenceOfDivision : reference, ' '));
  const [guarded, open] = [
    named.filter((path) => isGuarded(path, scene.protect)),
    named.filter((path) => !isGuarded(path, scene.protect)),
  ];
  for (const path of guarded)
    scene.notes.push(`${path} is protected, so no task owns it; add it to \`owns\` of the one that is to change it`);
  const asksTests = mentions(wordsOf(text), 'test') && !open.some(isTest);
  if (open.length === 0 || guarded.length > 0 || asksTests) return free;
  const owned = unique(open.flatMap((path) => (isFolder(path) ? [path, `${path}/**`] : [path])));
  const more = beside(open, role, divides).map((paths) => paths.filter((path) => isOwnable(path, scene.protect)));
  const [owns] = more.map((paths) => unique([...owned, ...paths])).filter((paths) => paths.length <= most.patterns);
  if (owns === undefined) {
    scene.notes.push(`more than ${most.patterns} paths are named for one task, so it owns none of them; split it`);
    return free;
  }
  const tests = owns.some(isTest);
  // a task that proves something has to be able to write the proof
  return role === 'quality' && !tests ? free : { owns: owns.filter((path) => !isWithin(path, owns)), tests, divides };
}

/** Further paths that a task may change, the most exact ones first. A task that names its tests gets no others. */
function beside(paths: readonly string[], role: Role, divides: boolean): readonly (readonly string[])[] {
  const code = withTests.has(role) ? paths.filter(isCode) : [];
  if (code.length === 0) return [[]];
  if (divides) return [code.flatMap(siblingsOf), testTrees];
  return paths.some(isTest) ? [[]] : [code.flatMap(testsOf), testTrees];
}

/** Made of names that anyone may have chosen. */
const isOwnable = (path: string, protect: readonly string[]): boolean =>
  parsePattern(path).ok && !isGuarded(path, protect);

const withTests: ReadonlySet<Role> = new Set<Role>(['impl-core', 'impl-polish', 'quality']);

const unique = (paths: readonly string[]): readonly string[] => [...new Set(paths)];

/** `lib/utils.js` beside `lib/*.js` says nothing. */
const isWithin = (path: string, others: readonly string[]): boolean =>
  !/[*?]|\/$/.test(path) &&
  others.some((other) => other !== path && /[*?]/.test(other) && matches(pattern(other), path));

/** `as described in docs/api.md`: something to read. */
const reference =
  /\b(?:described|documented|specified|defined|listed|shown|see|like|from|per|following|according to|based on)\b(?: (?:in|by|on))? [`"']?[^\s`"',;]+/giu;
/** The file that a part is taken from changes as well. */
const referenceOfDivision = new RegExp(reference.source.replace('|from|', '|'), 'giu');

const isFolder = (path: string): boolean =>
  !/[*/]$/.test(path) && !/\.\w+$/.test(path) && path.includes('/') && !path.includes('*');

const isGuarded = (path: string, protect: readonly string[]): boolean =>
  steeringIn(path) !== null || protect.some((guard) => intersect(pattern(guard), pattern(path)) !== null);

/**
 * Paths that work on a file comes to, beside the file itself. By fixed rules over names: whether there are such files is not looked at,
 * and none has a `**` at its beginning, which would meet what is protected.
 */

/** Work that makes several files of one, or takes a part of it elsewhere. */
const dividesFiles = (text: string): boolean => dividing.test(text);
const dividing =
  /\b(?:refactor|split|extract|divide|break|separate|modulari[sz]e|restructure|reorgani[sz]e|decompose)(?:s|ed|ing)?\b|\binto (?:\w+ ){0,3}(?:modules?|files?|parts?|packages?|components?|classes)\b/iu;

/** A file or folder of code, whose tests are other files. */
function isCode(path: string): boolean {
  const { name, extension, isFolder } = partsOf(path);
  if (isTest(path) || /[*?]/.test(name)) return false;
  return isFolder ? !/^(?:docs?|config|public)\b/.test(path) : codeExtensions.has(extension);
}

/** Recognised by a whole word of its name: `src/inspector.ts` is none. */
const isTest = (path: string): boolean =>
  /(?:^|[/._?*-])(?:tests?|specs?|e2e|__tests__)(?=$|[/._?*-])/iu.test(path) ||
  /[a-z](?:Test|Spec)s?\.\w+$/u.test(path);

/** Returns the usual places for the tests of a file or folder. */
function testsOf(path: string): readonly string[] {
  const { directory, name, extension, isFolder } = partsOf(path);
  const inFolders = testFolders.map((folder) => `${folder}/**/*${name}*`);
  if (isFolder) return [...inFolders, ...testFolders.map((folder) => `${folder}/**/${name}/**`)];
  return [
    ...['test', 'spec'].map((word) => `${directory}${name}?${word}.*`),
    ...byLanguage(path, extension),
    ...inFolders,
  ];
}

/** Returns the places for the files of a division and for their tests, whatever their names. */
function siblingsOf(path: string): readonly string[] {
  const { directory, name, extension, isFolder } = partsOf(path);
  if (isFolder) return testTrees;
  const tests = byLanguage(path, extension)
    .map((pattern) => pattern.replace(/(?:\*\*\/)?[^/]+$/, '**'))
    .filter((pattern) => pattern !== `${directory}**`);
  return [`${directory}*.${extension}`, `${directory}${name}/**`, ...tests, ...testTrees];
}

const testFolders = ['test', 'tests'];
/** All tests of a project. */
const testTrees: readonly string[] = testFolders.map((folder) => `${folder}/**`);

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
