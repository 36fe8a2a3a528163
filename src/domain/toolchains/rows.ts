import { below } from '../base/paths.ts';
import { type ToolchainRow, toolchainTable } from './table.ts';

/** A row of the table and its directory on this machine, or one installation in it. */
export type PlacedRow = { readonly row: ToolchainRow; readonly root: string; readonly links: readonly FollowedLink[] };

type Person = { readonly home: string; readonly variables: Readonly<Record<string, string | undefined>> };

/** Returns every row that has a directory on this machine. */
export function placeRows({ home, variables }: Person, look: Look): readonly PlacedRow[] {
  return toolchainTable.flatMap((row) => {
    const configured = row.variable === undefined ? undefined : variables[row.variable];
    const places = [...(configured?.startsWith('/') === true ? [configured] : []), ...(row.places ?? [])];
    return places.flatMap((place) => {
      const trail = follow(look, atHome(place, home));
      return trail === null || isWide(trail.real, home) ? [] : [{ row, root: trail.real, links: trail.links }];
    });
  });
}

/** Returns the row that a path belongs to, by its place or by a marker in a directory above it; null for none. */
export function rowOf(
  path: string,
  placed: readonly PlacedRow[],
  look: Look,
  directories: readonly string[],
): PlacedRow | null {
  const matches = placed.flatMap((one) => installationOf(path, one)).toSorted((a, b) => b.root.length - a.root.length);
  return matches[0] ?? markedRow(directories, look);
}

/** Narrows a row to the one installation that holds the path, where installations count separately. */
function installationOf(path: string, placed: PlacedRow): readonly PlacedRow[] {
  const inside = below(placed.root, path);
  if (inside === null) return [];
  if (placed.row.each === undefined) return [placed];
  const steps = inside.split('/');
  const pattern = placed.row.each.split('/');
  const fits = pattern.every((step, index) => steps[index] !== undefined && (step === '*' || step === steps[index]));
  return fits ? [{ ...placed, root: [placed.root, ...steps.slice(0, pattern.length)].join('/') }] : [];
}

function markedRow(directories: readonly string[], look: Look): PlacedRow | null {
  for (const root of directories)
    for (const row of toolchainTable)
      if (row.marker !== undefined && look.at(`${root}/${row.marker}`) !== null) return { row, root, links: [] };
  return null;
}

/** Returns the directories above a path, nearest first, up to one that holds unrelated things. */
export function directoriesAbove(path: string, home: string): readonly string[] {
  const directories: string[] = [];
  for (let directory = above(path); !isWide(directory, home) && directories.length < 12; directory = above(directory))
    directories.push(directory);
  return directories;
}

/** Returns the existing paths that a pattern of a row names. */
export function pathsOf(
  pattern: string,
  { root }: Pick<PlacedRow, 'root'>,
  home: string,
  look: Look,
): readonly string[] {
  if (pattern.startsWith('plain:')) {
    const [file = ''] = pathsOf(pattern.slice('plain:'.length), { root }, home, look);
    return namesToolsOnly(look.text(file)) ? [file] : [];
  }
  if (pattern === '.') return programsIn(root, look) ?? [];
  const [start, steps] = pattern.startsWith('~/') ? [home, pattern.slice(2)] : [root, pattern];
  return steps
    .split('/')
    .reduce<readonly string[]>((paths, step) => paths.flatMap((path) => next(path, step, look)), [start]);
}

/** In one directory. */
const mostNames = 5_000;
/** Each is a mount. */
const mostPrograms = 200;

/** Returns the programs directly in a directory; null when there are too many to list or to show. */
export function programsIn(directory: string, look: Look): readonly string[] | null {
  const listed = look.list(directory, mostNames);
  const programs = (listed ?? []).filter(({ kind, path }) => kind === 'file' && isProgram(look.at(path)));
  return listed === null || programs.length > mostPrograms ? null : programs.map(({ path }) => path);
}

function next(directory: string, step: string, look: Look): readonly string[] {
  if (!step.includes('*')) return look.at(`${directory}/${step}`) === null ? [] : [`${directory}/${step}`];
  const [start = '', end = ''] = step.split('*');
  return (look.list(directory, mostNames) ?? [])
    .map(({ path }) => path)
    .filter((path) => path.startsWith(`${directory}/${start}`) && path.endsWith(end));
}

const atHome = (place: string, home: string): string => (place.startsWith('~/') ? `${home}${place.slice(1)}` : place);

/** True for a TOML file that only names tools: it sets no variable and starts nothing. */
function namesToolsOnly(text: string | null): boolean {
  if (text === null || /"""|'''/.test(text)) return false;
  const lines = text.split('\n').map((line) => line.trim());
  const first = lines.findIndex((line) => line.startsWith('['));
  const isQuiet = (line: string): boolean => line === '' || line.startsWith('#') || line.startsWith('min_version');
  const heads = lines.filter((line) => line.startsWith('['));
  return (
    lines.slice(0, first < 0 ? lines.length : first).every(isQuiet) &&
    heads.every((head) => /^\[(tools|alias|tool_alias|plugins)[.\]]/.test(head))
  );
}

export const isAmong = (path: string, roots: readonly string[]): boolean => roots.some((root) => contains(root, path));

/** True for paths that every fence shows anyway. */
export const inSystem = (path: string): boolean => /^\/(usr|bin|sbin|lib|lib32|lib64|nix)(\/|$)/.test(path);

/** True for paths where the fence has its own directory, so that none of the machine can be mounted. */
export const isOwnedByFence = (path: string): boolean => /^\/(proc|sys|run)(\/|$)/.test(path);

const binNames = ['bin', 'sbin', 'shims', 'scripts'];

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const above = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')));
export const contains = (directory: string, path: string): boolean => below(directory, path) !== null;

/** True for directories that hold unrelated things and are never shown as a whole. */
export function isWide(path: string, home: string): boolean {
  const inHome = ['.config', '.cache', '.local', '.local/share', '.local/state', '.local/lib'];
  return (
    contains(path, home) ||
    inHome.some((name) => path === `${home}/${name}`) ||
    ['/opt', '/home', '/root', '/var', '/tmp', '/srv', '/mnt', '/media', '/etc', '/dev', '/dev/shm'].includes(path)
  );
}

/**
 * True below a hidden directory of home, where a tool keeps its own files and credentials, unless the name says that it holds
 * programs.
 */
export const isToolData = (path: string, home: string): boolean =>
  (below(home, path)?.startsWith('.') ?? false) && !binNames.includes(nameOf(path));

/** True when the siblings of a `bin` are its libraries. Those of `~/.local/bin` and `~/bin` are other files of the person. */
export const hasLibraries = (path: string, home: string): boolean =>
  ['bin', 'sbin'].includes(nameOf(path)) && !isWide(above(path), home);

export const besideBin = ['lib', 'lib64', 'libexec', 'include'];

/** Reads the machine's files. Only `text` opens a file. A path that cannot be read counts as absent. */
export type Look = {
  /** Returns the entry itself; links are not followed. */
  at(path: string): FileEntry | null;
  /** Null when there are more than `most`, or the directory cannot be listed. */
  list(directory: string, most: number): readonly Listed[] | null;
  /** Null when it is no plain file of at most 64 KB. */
  text(path: string): string | null;
};

export type FileEntry =
  | { readonly kind: 'file' | 'directory' | 'other'; readonly mode: number }
  | { readonly kind: 'link'; readonly mode: number; readonly to: string };

/** An entry as its directory lists it. */
export type Listed = { readonly path: string; readonly kind: FileEntry['kind'] };

/** A link that must exist in the fence as well, because a path leads through it. */
export type FollowedLink = { readonly path: string; readonly to: string };

export type Trail = { readonly real: string; readonly links: readonly FollowedLink[] };

/** The kernel's limit. */
const mostLinks = 40;

/** Resolves a path and returns each link on the way. Null when it leads nowhere. */
export function follow(look: Pick<Look, 'at'>, path: string): Trail | null {
  const links: FollowedLink[] = [];
  let rest = path.split('/');
  let real = '';
  while (rest.length > 0) {
    const [step = '', ...next] = rest;
    rest = next;
    if (step === '..') real = real.slice(0, Math.max(0, real.lastIndexOf('/')));
    if (step === '' || step === '.' || step === '..') continue;
    const entry = look.at(`${real}/${step}`);
    if (entry === null) return null;
    if (entry.kind !== 'link') {
      real = `${real}/${step}`;
      continue;
    }
    if (links.push({ path: `${real}/${step}`, to: entry.to }) > mostLinks) return null;
    if (entry.to.startsWith('/')) real = '';
    rest = [...entry.to.split('/'), ...rest];
  }
  return { real: real === '' ? '/' : real, links };
}

export const isProgram = (entry: FileEntry | null): boolean => entry?.kind === 'file' && (entry.mode & 0o111) !== 0;

/** Reads each path once. */
export function cachedLook(look: Look): Look {
  const entries = new Map<string, FileEntry | null>();
  const lists = new Map<string, readonly Listed[] | null>();
  return {
    ...look,
    at(path) {
      const cached = entries.get(path);
      if (cached !== undefined) return cached;
      const entry = look.at(path);
      entries.set(path, entry);
      return entry;
    },
    list(directory, most) {
      const key = `${most} ${directory}`;
      const cached = lists.get(key);
      if (cached !== undefined) return cached;
      const list = look.list(directory, most);
      lists.set(key, list);
      return list;
    },
  };
}
