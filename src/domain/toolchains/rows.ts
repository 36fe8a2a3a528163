import { below } from '../base/lexical-path.ts';
import { type FollowedLink, follow, isProgram, type Look } from './look.ts';
import { above, contains, isWide } from './places.ts';
import { type ToolchainRow, toolchainTable } from './table.ts';

/** A row and where it lies on this machine: its place, or one installation there. */
export type Placed = { readonly row: ToolchainRow; readonly root: string; readonly links: readonly FollowedLink[] };

type Around = { readonly home: string; readonly variables: Readonly<Record<string, string | undefined>> };

/** Every row that has a place here. */
export function placeRows({ home, variables }: Around, look: Look): readonly Placed[] {
  return toolchainTable.flatMap((row) => {
    const named = row.variable === undefined ? undefined : variables[row.variable];
    const places = [...(named?.startsWith('/') === true ? [named] : []), ...(row.places ?? [])];
    return places.flatMap((place) => {
      const trail = follow(look, atHome(place, home));
      return trail === null || isWide(trail.real, home) ? [] : [{ row, root: trail.real, links: trail.links }];
    });
  });
}

/** The row that speaks for a path, or for the directory above it that the row's marker is in. */
export function rowOf(
  path: string,
  placed: readonly Placed[],
  look: Look,
  directories: readonly string[],
): Placed | null {
  const fitting = placed.flatMap((one) => installationOf(path, one)).toSorted((a, b) => b.root.length - a.root.length);
  return fitting[0] ?? markedRow(directories, look);
}

/** What of it an installation is, when each counts for itself. */
function installationOf(path: string, placed: Placed): readonly Placed[] {
  const inside = below(placed.root, path);
  if (inside === null) return [];
  if (placed.row.each === undefined) return [placed];
  const steps = inside.split('/');
  const wanted = placed.row.each.split('/');
  const fits = wanted.every((step, index) => steps[index] !== undefined && (step === '*' || step === steps[index]));
  return fits ? [{ ...placed, root: [placed.root, ...steps.slice(0, wanted.length)].join('/') }] : [];
}

function markedRow(directories: readonly string[], look: Look): Placed | null {
  for (const root of directories)
    for (const row of toolchainTable)
      if (row.marker !== undefined && look.at(`${root}/${row.marker}`) !== null) return { row, root, links: [] };
  return null;
}

/** The directories above a path, nearest first, up to one that holds many things. */
export function directoriesAbove(path: string, home: string): readonly string[] {
  const found: string[] = [];
  for (let directory = above(path); !isWide(directory, home) && found.length < 12; directory = above(directory))
    found.push(directory);
  return found;
}

/** The paths that a row names by one of its patterns, as far as they are there. */
export function pathsOf(pattern: string, { root }: Pick<Placed, 'root'>, home: string, look: Look): readonly string[] {
  if (pattern.startsWith('plain:')) {
    const [file = ''] = pathsOf(pattern.slice('plain:'.length), { root }, home, look);
    return namesToolsOnly(look.text(file)) ? [file] : [];
  }
  if (pattern === '.') return programsIn(root, look) ?? [];
  const [start, steps] = pattern.startsWith('~/') ? [home, pattern.slice(2)] : [root, pattern];
  return steps
    .split('/')
    .reduce<readonly string[]>((found, step) => found.flatMap((path) => next(path, step, look)), [start]);
}

/** Of one directory. */
const mostNames = 5_000;
/** Each is a mount. */
const mostPrograms = 200;

/** The programs directly in a directory; null when it is too much to look at or to show. */
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

/** A TOML file that sets no variable and starts nothing: every key is below a table about tools. */
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
