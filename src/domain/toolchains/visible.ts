import { below, resolvePath } from '../base/paths.ts';
import { type Budget, type Hidden, neverShown, privateFilesIn } from './hidden-files.ts';
import {
  above,
  besideBin,
  cachedLook,
  contains,
  directoriesAbove,
  type FollowedLink,
  follow,
  hasLibraries,
  inSystem,
  isAmong,
  isOwnedByFence,
  isProgram,
  isToolData,
  isWide,
  type Look,
  type PlacedRow,
  pathsOf,
  placeRows,
  programsIn,
  rowOf,
} from './rows.ts';

/** The files that a person's PATH makes visible in a fence, read-only. All paths are resolved: no part of them is a link. */
export type Visible = {
  /** The PATH inside. */
  readonly path: readonly string[];
  /** The resolved home directory. */
  readonly home: string;
  readonly shown: readonly Shown[];
  readonly links: readonly FollowedLink[];
  readonly hidden: readonly Hidden[];
  /** Directories of the PATH that are not visible. */
  readonly left: readonly { readonly path: string; readonly why: 'closed' | 'made-anew' | 'too-much' }[];
  /** Variables that point managers' programs to directories outside their usual place. */
  readonly variables: Readonly<Record<string, string>>;
};

type Shown = { readonly path: string; readonly rule: ShowRule };

/**
 * `row`: a row of the table, by its name. `directory`: a directory on the PATH. `programs`: a program in a directory on the PATH that is
 * otherwise hidden. `beside`: a library beside a `bin`. `package`, `program`: the target of a link on the PATH, `from`.
 */
export type ShowRule =
  | { readonly rule: 'row'; readonly row: string }
  | { readonly rule: 'directory' | 'programs' | 'beside' }
  | { readonly rule: 'package' | 'program'; readonly from: string };

type PathInputs = {
  readonly path: readonly string[];
  readonly home: string;
  /** The checkout and the state directory: neither they nor any directory in or above them becomes visible. */
  readonly closed: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
};

/** The links of a directory with more names are not followed. */
const mostNames = 5_000;
/** In all directories that belong to no row. */
const mostEntries = 10_000;
/** Steps from one manager's program to that of another. */
const mostTurns = 4;

type View = Pick<Visible, 'shown' | 'links'>;
const nothing: View = { shown: [], links: [] };
const combine = (all: readonly View[]): View => ({
  shown: all.flatMap(({ shown }) => shown),
  links: all.flatMap(({ links }) => links),
});

type Scene = {
  readonly look: Look;
  readonly home: string;
  readonly placed: readonly PlacedRow[];
  /** The rows that are needed so far, by their directory, with the files that they show. */
  readonly needed: Map<string, View & { readonly placed: PlacedRow }>;
  /** Files outside of those rows that their programs lead to. */
  readonly further: View[];
  isOpen(path: string): boolean;
};

export function visibleByPath(inputs: PathInputs, at: Look): Visible {
  const look = cachedLook(at);
  const home = follow(look, inputs.home)?.real ?? inputs.home;
  const closed = inputs.closed.flatMap((path) => [path, follow(look, path)?.real ?? path]);
  const scene: Scene = {
    look,
    home,
    placed: placeRows({ home, variables: inputs.variables }, look),
    needed: new Map(),
    further: [],
    isOpen: (path) => !closed.some((root) => contains(root, path) || contains(path, root)),
  };
  const directories = directoriesOn(inputs.path, scene, closed);
  const usable = directories.filter(({ why }) => why === null);
  for (const { real } of usable) needRowOf(real, scene);
  const fromPath = combine(usable.map(({ real }) => linkedFrom(real, scene)));
  const linked = combine([fromPath, ...scene.further]);
  const rows = [...scene.needed.values()];
  const rowRoots = rows.flatMap((row) => row.shown.map(({ path }) => path));
  const plain = plainDirectories([...new Set(usable.map(({ real }) => real))], rowRoots, scene);
  const packages = hideInProjects(linked.shown, rowRoots, plain.budget, scene);
  const shown = allowed([...plain.shown, ...packages.shown, ...rows.flatMap((row) => row.shown)], rowRoots, scene);
  const links = [...usable, linked, plain, ...rows].flatMap((one) => one.links);
  const hidden = [
    ...plain.hidden,
    ...packages.hidden,
    ...neverShown(
      shown.map(({ path }) => path),
      scene,
    ),
  ];
  return {
    path: [...new Set(usable.map(({ named }) => named))],
    home,
    shown,
    links: neededLinks(links, shown, inputs.home, home),
    hidden: [...new Map(hidden.map((one) => [one.path, one])).values()],
    left: [
      ...directories.flatMap(({ real, why }) => (why === null ? [] : [{ path: real, why }])),
      ...plain.tooMuch.map((path) => ({ path, why: 'too-much' as const })),
    ],
    variables: variablesFor(rows, inputs.variables),
  };
}

type OnPath = {
  readonly named: string;
  readonly real: string;
  readonly links: readonly FollowedLink[];
  readonly why: 'closed' | 'made-anew' | null;
};

/** System directories need only the links that lead there. Directories that npm puts on the PATH belong to a project and are skipped. */
function directoriesOn(path: readonly string[], { look }: Scene, closed: readonly string[]): readonly OnPath[] {
  return path.flatMap((entry) => {
    if (!entry.startsWith('/') || (entry.endsWith('/node_modules/.bin') && !inSystem(entry))) return [];
    const trail = follow(look, entry);
    if (trail === null || (trail.real !== '/' && look.at(trail.real)?.kind !== 'directory')) return [];
    const { real, links } = trail;
    const why = isAmong(real, closed) ? 'closed' : isOwnedByFence(real) ? 'made-anew' : null;
    return [{ named: isOwnedByFence(entry) ? real : entry, real, links, why }];
  });
}

/** Adds the row of a directory on the PATH. */
function needRowOf(directory: string, scene: Scene): void {
  if (inSystem(directory)) return;
  const beside = isWide(above(directory), scene.home) ? [] : [above(directory)];
  const row = rowOf(directory, scene.placed, scene.look, beside);
  if (row !== null) need(row, scene, 0);
}

/** Adds a row and the rows that its programs need, and returns the files that it shows. */
function need(placed: PlacedRow, scene: Scene, turn: number): readonly Shown[] {
  const { look, home, needed } = scene;
  const { row, root } = placed;
  const earlier = needed.get(root);
  if (earlier !== undefined) return earlier.shown;
  const rule = { rule: 'row', row: row.name } as const;
  const trails = row.shows.flatMap((pattern) => pathsOf(pattern, placed, home, look)).map((path) => follow(look, path));
  const shown = trails.flatMap((trail) => (trail === null ? [] : [{ path: trail.real, rule }]));
  needed.set(root, { placed, shown, links: [...placed.links, ...trails.flatMap((trail) => trail?.links ?? [])] });
  if (turn >= mostTurns) return shown;
  for (const other of scene.placed)
    if (row.with !== undefined && other.row.variable === row.with) need(other, scene, turn + 1);
  const programs = (row.follows ?? []).flatMap((pattern) => pathsOf(pattern, placed, home, look));
  const further = combine(programs.map((path) => programAt(path, scene, turn + 1)));
  scene.further.push(further);
  return shown;
}

/** Returns the programs that links in a directory of the PATH lead to. */
function linkedFrom(directory: string, scene: Scene): View {
  if (inSystem(directory)) return nothing;
  const linked = (scene.look.list(directory, mostNames) ?? []).filter(({ kind }) => kind === 'link');
  const inRows = [...scene.needed.values()].flatMap(({ shown }) => shown.map(({ path }) => path));
  return combine(
    linked.filter(({ path }) => !staysIn(inRows, path, scene.look)).map(({ path }) => programAt(path, scene, 0)),
  );
}

/**
 * True when the text of a link says that it leads to a program of the same manager: Homebrew has thousands, and following each would
 * cost more than everything else. Not used for packages, where a link may lead to somebody's project.
 */
function staysIn(shown: readonly string[], path: string, look: Look): boolean {
  const entry = look.at(path);
  const to = entry?.kind === 'link' ? resolvePath(above(path), entry.to) : '';
  return !to.includes('/node_modules/') && isAmong(to, shown);
}

/** Returns the files that a program needs: its row, otherwise its package, otherwise only itself. */
function programAt(path: string, scene: Scene, turn: number): View {
  const { look, home } = scene;
  const trail = follow(look, path);
  if (trail === null || !isProgram(look.at(trail.real)) || isOwnedByFence(trail.real)) return nothing;
  const { real, links } = trail;
  const onlyLinks = { ...nothing, links };
  if (inSystem(real)) return onlyLinks;
  const directories = directoriesAbove(real, home);
  const row = rowOf(real, scene.placed, look, directories);
  const byRow = row === null ? [] : need(row, scene, turn);
  if (byRow.some((one) => contains(one.path, real))) return onlyLinks;
  return { shown: [shownAlone(real, path, directories, scene)], links };
}

function shownAlone(real: string, from: string, directories: readonly string[], { look, home, isOpen }: Scene): Shown {
  const installed = real.indexOf('/node_modules/');
  if (installed >= 0)
    return { path: real.slice(0, installed + '/node_modules'.length), rule: { rule: 'package', from } };
  const root = directories.find((directory) => look.at(`${directory}/package.json`) !== null);
  return root === undefined || isDataDirectory(root, home) || !isOpen(root)
    ? { path: real, rule: { rule: 'program', from } }
    : { path: root, rule: { rule: 'package', from } };
}

/** True for a tool's data directory, where a `package.json` does not mark a package. */
const isDataDirectory = (path: string, home: string): boolean =>
  /^(\.[^/]+$|\.config\/|\.cache\/|\.local\/state\/)/.test(below(home, path) ?? '');

type Plain = View & {
  readonly hidden: readonly Hidden[];
  readonly tooMuch: readonly string[];
  readonly budget: Budget;
};

/** Shows directories of the PATH that belong to no row, with the libraries beside them. */
function plainDirectories(directories: readonly string[], rowRoots: readonly string[], scene: Scene): Plain {
  const { look, home } = scene;
  const budget: Budget = { left: mostEntries };
  const isKnown = (path: string): boolean => rowRoots.includes(path);
  const shown: Shown[] = [];
  const links: FollowedLink[] = [];
  const hidden: Hidden[] = [];
  const tooMuch: string[] = [];
  const show = (path: string, rule: ShowRule): boolean => {
    const privateFiles = scene.isOpen(path) ? privateFilesIn(path, look, budget, isKnown) : null;
    if (privateFiles === null) return false;
    shown.push({ path, rule });
    hidden.push(...privateFiles);
    return true;
  };
  for (const directory of directories) {
    if (inSystem(directory) || isAmong(directory, rowRoots)) continue;
    const isWhole = !isWide(directory, home) && !isToolData(directory, home) && show(directory, { rule: 'directory' });
    if (!isWhole) {
      const programs = programsIn(directory, look);
      if (programs === null) tooMuch.push(directory);
      else shown.push(...programs.map((path): Shown => ({ path, rule: { rule: 'programs' } })));
    }
    if (!hasLibraries(directory, home)) continue;
    for (const name of besideBin) {
      const trail = follow(look, `${above(directory)}/${name}`);
      if (trail === null || !contains(above(directory), trail.real) || isAmong(trail.real, rowRoots)) continue;
      if (look.at(trail.real)?.kind === 'directory' && show(trail.real, { rule: 'beside' })) links.push(...trail.links);
    }
  }
  return { shown, links, hidden, tooMuch, budget };
}

/** Hides the private files of packages outside of `node_modules`, which are somebody's projects. */
function hideInProjects(
  shown: readonly Shown[],
  rowRoots: readonly string[],
  budget: Budget,
  scene: Scene,
): Pick<Visible, 'shown' | 'hidden'> {
  const byPath = new Map<string, Shown>();
  const hidden: Hidden[] = [];
  for (const one of shown) {
    if (byPath.has(one.path) || (one.rule.rule !== 'row' && isAmong(one.path, rowRoots))) continue;
    byPath.set(one.path, one);
    if (one.rule.rule !== 'package' || one.path.endsWith('/node_modules') || !scene.isOpen(one.path)) continue;
    const inside = privateFilesIn(one.path, scene.look, budget, (path) => rowRoots.includes(path));
    if (inside !== null) hidden.push(...inside);
    else {
      const real = follow(scene.look, one.rule.from)?.real ?? one.path;
      byPath.delete(one.path);
      byPath.set(real, { path: real, rule: { rule: 'program', from: one.rule.from } });
    }
  }
  return { shown: [...byPath.values()], hidden };
}

/** Filters every path, whichever rule named it: nothing closed, nothing wide, nothing twice. */
function allowed(shown: readonly Shown[], rowRoots: readonly string[], { isOpen, home }: Scene): readonly Shown[] {
  const byPath = new Map(shown.map((one) => [one.path, one]));
  return [...byPath.values()].filter(
    ({ path }) =>
      isOpen(path) &&
      !isWide(path, home) &&
      !inSystem(path) &&
      !isOwnedByFence(path) &&
      !rowRoots.some((root) => root !== path && contains(root, path)),
  );
}

/** Drops links inside shown directories, which exist already, and links where the fence has its own directories. */
function neededLinks(
  links: readonly FollowedLink[],
  shown: readonly Shown[],
  named: string,
  home: string,
): readonly FollowedLink[] {
  const roots = shown.map(({ path }) => path);
  const needed = links.filter(
    ({ path }) =>
      !inSystem(path) &&
      !isOwnedByFence(path) &&
      !isWide(path, home) &&
      !contains(path, named) &&
      !isAmong(path, roots),
  );
  return [...new Map(needed.map((link) => [link.path, link])).values()];
}

function variablesFor(
  rows: readonly { readonly placed: PlacedRow }[],
  variables: PathInputs['variables'],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    rows.flatMap(({ placed: { row } }) => {
      const { variable, passes } = row;
      const value = variable === undefined || passes === undefined ? undefined : variables[variable];
      return variable === undefined || value === undefined ? [] : [[variable, value]];
    }),
  );
}
