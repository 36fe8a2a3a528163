import { below, resolvePath } from '../base/lexical-path.ts';
import { neverShown } from './credentials.ts';
import { type FollowedLink, follow, isProgram, type Look, remembering } from './look.ts';
import { above, besideBin, contains, hasLibraries, inSystem, isMadeAnew, isToolsOwn, isWide } from './places.ts';
import { type Budget, type Hidden, privateFilesIn } from './private-files.ts';
import { directoriesAbove, isAmong, type Placed, pathsOf, placeRows, programsIn, rowOf } from './rows.ts';

/** What a person's PATH makes visible in a fence, read-only. All paths are real ones: no part of them is a link. */
export type Visible = {
  /** The PATH inside. */
  readonly path: readonly string[];
  /** Where home really is; it has the same files by its own name. */
  readonly home: string;
  readonly shown: readonly Shown[];
  readonly links: readonly FollowedLink[];
  readonly hidden: readonly Hidden[];
  /** Directories of the PATH of which nothing is visible. */
  readonly left: readonly { readonly path: string; readonly why: 'closed' | 'made-anew' | 'too-much' }[];
  /** By which managers' programs find what is not in its usual place. */
  readonly variables: Readonly<Record<string, string>>;
};

export type Shown = { readonly path: string; readonly rule: ShowRule };

/**
 * `row`: of the table, by its name. `directory`: on the PATH. `programs`: a program in a directory on the PATH of which nothing else
 * is visible. `beside`: a library beside a `bin`. `package`, `program`: what a link on the PATH, `from`, leads to.
 */
export type ShowRule =
  | { readonly rule: 'row'; readonly row: string }
  | { readonly rule: 'directory' | 'programs' | 'beside' }
  | { readonly rule: 'package' | 'program'; readonly from: string };

type Wanted = {
  readonly path: readonly string[];
  readonly home: string;
  /** Neither they nor anything in or above them becomes visible: the checkout, and the state directory. */
  readonly closed: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
};

/** More names in a directory of the PATH, and its links are not looked at. */
const mostNames = 5_000;
/** In all directories that no row speaks for. */
const mostEntries = 10_000;
/** From one manager's program to that of another. */
const mostTurns = 4;

type Found = Pick<Visible, 'shown' | 'links'>;
const nothing: Found = { shown: [], links: [] };
const joined = (all: readonly Found[]): Found => ({
  shown: all.flatMap(({ shown }) => shown),
  links: all.flatMap(({ links }) => links),
});

type Scene = {
  readonly look: Look;
  readonly home: string;
  readonly placed: readonly Placed[];
  /** The rows that are needed so far, by where they lie, with what they show. */
  readonly needed: Map<string, Found & { readonly placed: Placed }>;
  /** What programs of those rows lead to beyond them. */
  readonly further: Found[];
  isOpen(path: string): boolean;
};

export function visibleByPath(wanted: Wanted, at: Look): Visible {
  const look = remembering(at);
  const home = follow(look, wanted.home)?.real ?? wanted.home;
  const closed = wanted.closed.flatMap((path) => [path, follow(look, path)?.real ?? path]);
  const scene: Scene = {
    look,
    home,
    placed: placeRows({ home, variables: wanted.variables }, look),
    needed: new Map(),
    further: [],
    isOpen: (path) => !closed.some((root) => contains(root, path) || contains(path, root)),
  };
  const directories = directoriesOn(wanted.path, scene, closed);
  const usable = directories.filter(({ why }) => why === null);
  for (const { real } of usable) needRowOf(real, scene);
  const fromPath = joined(usable.map(({ real }) => linkedFrom(real, scene)));
  const linked = joined([fromPath, ...scene.further]);
  const rows = [...scene.needed.values()];
  const rowRoots = rows.flatMap((row) => row.shown.map(({ path }) => path));
  const plain = plainDirectories([...new Set(usable.map(({ real }) => real))], rowRoots, scene);
  const packages = developed(linked.shown, rowRoots, plain.budget, scene);
  const shown = settled([...plain.shown, ...packages.shown, ...rows.flatMap((row) => row.shown)], rowRoots, scene);
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
    links: neededLinks(links, shown, wanted.home, home),
    hidden: [...new Map(hidden.map((one) => [one.path, one])).values()],
    left: [
      ...directories.flatMap(({ real, why }) => (why === null ? [] : [{ path: real, why }])),
      ...plain.tooMuch.map((path) => ({ path, why: 'too-much' as const })),
    ],
    variables: passedOn(rows, wanted.variables),
  };
}

type OnPath = {
  readonly named: string;
  readonly real: string;
  readonly links: readonly FollowedLink[];
  readonly why: 'closed' | 'made-anew' | null;
};

/** Directories of the system need nothing but the links that lead there. What npm puts on the PATH of a script is its project's. */
function directoriesOn(path: readonly string[], { look }: Scene, closed: readonly string[]): readonly OnPath[] {
  return path.flatMap((entry) => {
    if (!entry.startsWith('/') || (entry.endsWith('/node_modules/.bin') && !inSystem(entry))) return [];
    const trail = follow(look, entry);
    if (trail === null || (trail.real !== '/' && look.at(trail.real)?.kind !== 'directory')) return [];
    const { real, links } = trail;
    const why = isAmong(real, closed) ? 'closed' : isMadeAnew(real) ? 'made-anew' : null;
    return [{ named: isMadeAnew(entry) ? real : entry, real, links, why }];
  });
}

/** What the table says of a directory on the PATH. */
function needRowOf(directory: string, scene: Scene): void {
  if (inSystem(directory)) return;
  const beside = isWide(above(directory), scene.home) ? [] : [above(directory)];
  const row = rowOf(directory, scene.placed, scene.look, beside);
  if (row !== null) need(row, scene, 0);
}

/** Returns what the row shows. What its programs need of other rows is needed from then on as well. */
function need(placed: Placed, scene: Scene, turn: number): readonly Shown[] {
  const { look, home, needed } = scene;
  const { row, root } = placed;
  const known = needed.get(root);
  if (known !== undefined) return known.shown;
  const rule = { rule: 'row', row: row.name } as const;
  const trails = row.shows.flatMap((pattern) => pathsOf(pattern, placed, home, look)).map((path) => follow(look, path));
  const shown = trails.flatMap((trail) => (trail === null ? [] : [{ path: trail.real, rule }]));
  needed.set(root, { placed, shown, links: [...placed.links, ...trails.flatMap((trail) => trail?.links ?? [])] });
  if (turn >= mostTurns) return shown;
  for (const other of scene.placed)
    if (row.with !== undefined && other.row.variable === row.with) need(other, scene, turn + 1);
  const led = (row.follows ?? []).flatMap((pattern) => pathsOf(pattern, placed, home, look));
  const further = joined(led.map((path) => programAt(path, scene, turn + 1)));
  scene.further.push(further);
  return shown;
}

/** The programs that links in a directory of the PATH lead to. */
function linkedFrom(directory: string, scene: Scene): Found {
  if (inSystem(directory)) return nothing;
  const linked = (scene.look.list(directory, mostNames) ?? []).filter(({ kind }) => kind === 'link');
  const inRows = [...scene.needed.values()].flatMap(({ shown }) => shown.map(({ path }) => path));
  return joined(
    linked.filter(({ path }) => !staysIn(inRows, path, scene.look)).map(({ path }) => programAt(path, scene, 0)),
  );
}

/**
 * Whether the spelling of a link says that it leads to a program of the same manager: Homebrew has thousands, and following each costs
 * more than all the rest. Among packages it says nothing: one may be a link to somebody's project.
 */
function staysIn(shown: readonly string[], path: string, look: Look): boolean {
  const entry = look.at(path);
  const to = entry?.kind === 'link' ? resolvePath(above(path), entry.to) : '';
  return !to.includes('/node_modules/') && isAmong(to, shown);
}

/** What a program needs to be seen with: its row, else the package it lies in, else nothing but itself. */
function programAt(path: string, scene: Scene, turn: number): Found {
  const { look, home } = scene;
  const trail = follow(look, path);
  if (trail === null || !isProgram(look.at(trail.real)) || isMadeAnew(trail.real)) return nothing;
  const { real, links } = trail;
  const led = { ...nothing, links };
  if (inSystem(real)) return led;
  const directories = directoriesAbove(real, home);
  const row = rowOf(real, scene.placed, look, directories);
  const byRow = row === null ? [] : need(row, scene, turn);
  if (byRow.some((one) => contains(one.path, real))) return led;
  return { shown: [shownAlone(real, path, directories, scene)], links };
}

function shownAlone(real: string, from: string, directories: readonly string[], { look, home, isOpen }: Scene): Shown {
  const installed = real.indexOf('/node_modules/');
  if (installed >= 0)
    return { path: real.slice(0, installed + '/node_modules'.length), rule: { rule: 'package', from } };
  const root = directories.find((directory) => look.at(`${directory}/package.json`) !== null);
  return root === undefined || isOwnPlace(root, home) || !isOpen(root)
    ? { path: real, rule: { rule: 'program', from } }
    : { path: root, rule: { rule: 'package', from } };
}

/** A `package.json` here does not make a package of what a tool keeps. */
const isOwnPlace = (path: string, home: string): boolean =>
  /^(\.[^/]+$|\.config\/|\.cache\/|\.local\/state\/)/.test(below(home, path) ?? '');

type Plain = Found & {
  readonly hidden: readonly Hidden[];
  readonly tooMuch: readonly string[];
  readonly budget: Budget;
};

/** Directories of the PATH that no row speaks for, with the libraries beside them. */
function plainDirectories(directories: readonly string[], rowRoots: readonly string[], scene: Scene): Plain {
  const { look, home } = scene;
  const budget: Budget = { left: mostEntries };
  const isKnown = (path: string): boolean => rowRoots.includes(path);
  const shown: Shown[] = [];
  const links: FollowedLink[] = [];
  const hidden: Hidden[] = [];
  const tooMuch: string[] = [];
  const show = (path: string, rule: ShowRule): boolean => {
    const found = scene.isOpen(path) ? privateFilesIn(path, look, budget, isKnown) : null;
    if (found === null) return false;
    shown.push({ path, rule });
    hidden.push(...found);
    return true;
  };
  for (const directory of directories) {
    if (inSystem(directory) || isAmong(directory, rowRoots)) continue;
    const isWhole = !isWide(directory, home) && !isToolsOwn(directory, home) && show(directory, { rule: 'directory' });
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

/** A package that is not among installed ones is a project of somebody's: its private files are not part of it. */
function developed(
  found: readonly Shown[],
  rowRoots: readonly string[],
  budget: Budget,
  scene: Scene,
): Pick<Visible, 'shown' | 'hidden'> {
  const seen = new Map<string, Shown>();
  const hidden: Hidden[] = [];
  for (const one of found) {
    if (seen.has(one.path) || (one.rule.rule !== 'row' && isAmong(one.path, rowRoots))) continue;
    seen.set(one.path, one);
    if (one.rule.rule !== 'package' || one.path.endsWith('/node_modules') || !scene.isOpen(one.path)) continue;
    const inside = privateFilesIn(one.path, scene.look, budget, (path) => rowRoots.includes(path));
    if (inside !== null) hidden.push(...inside);
    else {
      const real = follow(scene.look, one.rule.from)?.real ?? one.path;
      seen.delete(one.path);
      seen.set(real, { path: real, rule: { rule: 'program', from: one.rule.from } });
    }
  }
  return { shown: [...seen.values()], hidden };
}

/** The last word on every path, whichever rule named it: nothing closed, nothing wide, nothing twice. */
function settled(shown: readonly Shown[], rowRoots: readonly string[], { isOpen, home }: Scene): readonly Shown[] {
  const byPath = new Map(shown.map((one) => [one.path, one]));
  return [...byPath.values()].filter(
    ({ path }) =>
      isOpen(path) &&
      !isWide(path, home) &&
      !inSystem(path) &&
      !isMadeAnew(path) &&
      !rowRoots.some((root) => root !== path && contains(root, path)),
  );
}

/** Links that lie in something visible are there already; at or above home and some others is a directory of the fence's own. */
function neededLinks(
  links: readonly FollowedLink[],
  shown: readonly Shown[],
  named: string,
  home: string,
): readonly FollowedLink[] {
  const roots = shown.map(({ path }) => path);
  const needed = links.filter(
    ({ path }) =>
      !inSystem(path) && !isMadeAnew(path) && !isWide(path, home) && !contains(path, named) && !isAmong(path, roots),
  );
  return [...new Map(needed.map((link) => [link.path, link])).values()];
}

function passedOn(
  rows: readonly { readonly placed: Placed }[],
  variables: Wanted['variables'],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    rows.flatMap(({ placed: { row } }) => {
      const { variable, passes } = row;
      const value = variable === undefined || passes === undefined ? undefined : variables[variable];
      return variable === undefined || value === undefined ? [] : [[variable, value]];
    }),
  );
}
