import { follow, type Look } from './look.ts';
import { contains, nameOf } from './places.ts';
import type { Hidden } from './private-files.ts';
import { isAmong, type Placed, pathsOf } from './rows.ts';
import { toolchainTable } from './table.ts';

/** What may hold a credential in any installation of a manager, by where it lies there. Programs run without these. */
export const credentialsInside: readonly string[] = [
  ...['pip.conf', 'pip.ini', '.pypirc', 'uv-receipt.toml', 'pipx_metadata.json'],
  ...['npmrc', '.npmrc', 'etc/npmrc', 'lib/node_modules/npm/npmrc', 'lib/node_modules/npm/.npmrc', '.yarnrc.yml'],
  ...['.netrc', '_netrc', '.env', '.aws', '.azure', '.kube', '.ssh', '.gnupg', '.docker/config.json', '.config/gcloud'],
  ...['credentials', 'credentials.toml', 'credentials.json', 'credentials.db', 'application_default_credentials.json'],
  ...['.git/config', '.git/config.worktree', '.git/credentials', '.git/modules/*/config', '.git-credentials'],
  ...['.condarc', 'ssl/private'],
];

/**
 * Files that an installation comes with, and that its program does not take empty: hidden only when a credential was written into them,
 * then with the directory that the program can do without.
 */
export const credentialsWritten: readonly { readonly file: string; readonly hides: string; readonly by: RegExp }[] = [
  { file: 'conf/settings.xml', hides: 'conf', by: /<(password|passphrase|privateKey|httpHeaders|configuration)\b/ },
  { file: 'conf/tomcat-users.xml', hides: 'conf/tomcat-users.xml', by: /<user\s/ },
];

type Seen = {
  readonly look: Look;
  readonly home: string;
  readonly placed: readonly Placed[];
  readonly needed: ReadonlyMap<string, { readonly placed: Placed }>;
};

/** Returns the credentials inside what is shown: those that a row names, and those of any tool in its installations. By their real paths. */
export function neverShown(roots: readonly string[], { placed, needed, home, look }: Seen): readonly Hidden[] {
  const rows = [...placed, ...[...needed.values()].map((one) => one.placed)].flatMap(({ row, root }) =>
    (row.each === undefined ? [root] : pathsOf(row.each, { root }, home, look)).map((place) => ({ row, place })),
  );
  const each = new Map(rows.map((one) => [`${toolchainTable.indexOf(one.row)} ${one.place}`, one]));
  const named = [...each.values()].flatMap(({ row, place }) => {
    const of = (pattern: string): readonly string[] => pathsOf(pattern, { root: place }, home, look);
    const isSeen = roots.some((path) => contains(path, place) || contains(place, path));
    const installed = isSeen ? [place, ...(row.holds ?? []).flatMap(of)] : [];
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

/** Of one installation. It is listed once, because most hold none of all this. */
function credentialsIn(place: string, home: string, look: Look): readonly string[] {
  if (look.at(place)?.kind === 'file') return [];
  const listed = look.list(place, mostNames);
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

/** An installation with more at its top is asked for each name instead. */
const mostNames = 500;
