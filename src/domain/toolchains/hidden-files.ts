import { contains, follow, isAmong, type Look, nameOf, type PlacedRow, pathsOf } from './rows.ts';
import { toolchainTable } from './table.ts';

/** A path that is hidden although the directory around it is shown. */
export type Hidden = { readonly path: string; readonly kind: 'file' | 'directory' };

/** The number of entries that may still be read, for all directories of the PATH together. */
export type Budget = { left: number };

/** A directory that would need more mounts than this is hidden as a whole. */
const mostHidden = 64;

type DirectorySearch = { readonly hidden: readonly Hidden[]; readonly shows: boolean };

/**
 * Returns the files to hide in a directory that belongs to no row of the table: private files that are no programs, sockets, and names
 * that begin with a dot. Installed packages are left alone, because they have such names too. Null: the whole directory is hidden,
 * because nothing else would be left or it holds too many files.
 */
export function privateFilesIn(
  directory: string,
  look: Look,
  budget: Budget,
  isKnown: (path: string) => boolean,
): readonly Hidden[] | null {
  const result = search(directory, look, budget, isKnown);
  return result !== null && isWorthShowing(result) ? result.hidden : null;
}

function search(
  directory: string,
  look: Look,
  budget: Budget,
  isKnown: (path: string) => boolean,
): DirectorySearch | null {
  const listed = look.list(directory, budget.left);
  if (listed === null) return null;
  budget.left -= listed.length;
  const hidden: Hidden[] = [];
  let shows = false;
  for (const { path, kind } of listed) {
    const name = nameOf(path);
    if (kind === 'directory') {
      const inside =
        name === 'node_modules' || isKnown(path)
          ? { hidden: [], shows: true }
          : name.startsWith('.')
            ? null
            : search(path, look, budget, isKnown);
      if (inside !== null && isWorthShowing(inside)) hidden.push(...inside.hidden);
      else hidden.push({ path, kind: 'directory' });
      shows ||= inside?.shows === true;
    } else if (kind === 'link' || (kind === 'file' && isForOthers(name, look.at(path)?.mode ?? 0))) shows = true;
    else hidden.push({ path, kind: 'file' });
  }
  return { hidden, shows };
}

/** True when something is left to show and few mounts hide the rest. */
const isWorthShowing = ({ hidden, shows }: DirectorySearch): boolean =>
  hidden.length === 0 || (shows && hidden.length <= mostHidden);

const isForOthers = (name: string, mode: number): boolean =>
  (mode & 0o111) !== 0 || ((mode & 0o004) !== 0 && !name.startsWith('.'));

/** Files that may hold a credential in any installation of a manager. Programs run without them. */
export const credentialsInside: readonly string[] = [
  ...['pip.conf', 'pip.ini', '.pypirc', 'uv-receipt.toml', 'pipx_metadata.json'],
  ...['npmrc', '.npmrc', 'etc/npmrc', 'lib/node_modules/npm/npmrc', 'lib/node_modules/npm/.npmrc', '.yarnrc.yml'],
  ...['.netrc', '_netrc', '.env', '.aws', '.azure', '.kube', '.ssh', '.gnupg', '.docker/config.json', '.config/gcloud'],
  ...['credentials', 'credentials.toml', 'credentials.json', 'credentials.db', 'application_default_credentials.json'],
  ...['.git/config', '.git/config.worktree', '.git/credentials', '.git/modules/*/config', '.git-credentials'],
  ...['.condarc', 'ssl/private'],
];

/**
 * Files that ship with an installation and that its program does not accept empty. They are hidden only when they contain a credential,
 * together with the directory that the program can do without.
 */
export const credentialsWritten: readonly { readonly file: string; readonly hides: string; readonly by: RegExp }[] = [
  { file: 'conf/settings.xml', hides: 'conf', by: /<(password|passphrase|privateKey|httpHeaders|configuration)\b/ },
  { file: 'conf/tomcat-users.xml', hides: 'conf/tomcat-users.xml', by: /<user\s/ },
];

type VisibleRows = {
  readonly look: Look;
  readonly home: string;
  readonly placed: readonly PlacedRow[];
  readonly needed: ReadonlyMap<string, { readonly placed: PlacedRow }>;
};

/** Returns the real paths of credentials inside the shown roots: those that a row names, and those of any tool in its installations. */
export function neverShown(roots: readonly string[], { placed, needed, home, look }: VisibleRows): readonly Hidden[] {
  const rows = [...placed, ...[...needed.values()].map((one) => one.placed)].flatMap(({ row, root }) =>
    (row.each === undefined ? [root] : pathsOf(row.each, { root }, home, look)).map((place) => ({ row, place })),
  );
  const each = new Map(rows.map((one) => [`${toolchainTable.indexOf(one.row)} ${one.place}`, one]));
  const named = [...each.values()].flatMap(({ row, place }) => {
    const of = (pattern: string): readonly string[] => pathsOf(pattern, { root: place }, home, look);
    const isVisible = roots.some((path) => contains(path, place) || contains(place, path));
    const installed = isVisible ? [place, ...(row.holds ?? []).flatMap(of)] : [];
    return [...row.never.flatMap(of), ...installed.flatMap((one) => credentialsIn(one, home, look))];
  });
  const real = [...new Set(named.flatMap((path) => follow(look, path)?.real ?? []))].filter((path) =>
    isAmong(path, roots),
  );
  const hidden = real.flatMap((path): readonly Hidden[] => {
    const kind = look.at(path)?.kind;
    return kind === 'directory' ? [{ path, kind }] : kind === 'file' ? [{ path, kind }] : [];
  });
  const directories = hidden.filter(({ kind }) => kind === 'directory').map(({ path }) => path);
  return hidden.filter(({ path }) => !directories.some((directory) => directory !== path && contains(directory, path)));
}

/** Returns the credentials in one installation. It is listed once, because most installations hold none. */
function credentialsIn(place: string, home: string, look: Look): readonly string[] {
  if (look.at(place)?.kind === 'file') return [];
  const listed = look.list(place, mostListed);
  const names = listed === null ? null : new Set(listed.map(({ path }) => nameOf(path)));
  const mayHold = (pattern: string): boolean => names === null || names.has(pattern.split('/')[0] ?? '');
  const written = credentialsWritten.filter(({ file, by }) => {
    const [path] = mayHold(file) ? pathsOf(file, { root: place }, home, look) : [];
    const text = path === undefined ? '' : look.text(path);
    return text === null || by.test(text.replaceAll(/<!--.*?-->/gs, ''));
  });
  return [...credentialsInside.filter(mayHold), ...written.map(({ hides }) => hides)].flatMap((pattern) =>
    pathsOf(pattern, { root: place }, home, look),
  );
}

/** In an installation with more names at its top, each credential is looked for by name. */
const mostListed = 500;
