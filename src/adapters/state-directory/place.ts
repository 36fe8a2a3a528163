import { createHash } from 'node:crypto';
import { basename, dirname, join, sep } from 'node:path';
import { ledgerFormat } from '../../domain/ledger/event-format.ts';
import type { Repository } from './find-repository.ts';

/** Decides where state is kept. The composition root reads it from the environment. */
export type PlaceInputs = {
  /** `--state-dir`. */
  readonly flag: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly home: string;
};

export type Root = { readonly path: string; readonly from: '--state-dir' | 'TIDEGATE_STATE_DIR' | 'default' };

/** Returns the directory below which the repositories keep their state. */
export function stateRoot({ flag, env, uid, home }: PlaceInputs): Root {
  if (flag !== null) return { path: flag, from: '--state-dir' };
  const explicit = env['TIDEGATE_STATE_DIR'];
  if (explicit !== undefined && explicit !== '') return { path: explicit, from: 'TIDEGATE_STATE_DIR' };
  const xdg = env['XDG_STATE_HOME'];
  // The XDG specification says to ignore a relative value.
  if (xdg?.startsWith('/')) return { path: join(xdg, 'tidegate'), from: 'default' };
  if (uid === 0) return { path: '/var/lib/tidegate', from: 'default' };
  return { path: join(home, '.local', 'state', 'tidegate'), from: 'default' };
}

/** Returns `<repo>-<hash>-v<format>`, the same for all worktrees of a repository. */
export const repositoryName = (repository: Pick<Repository, 'commonDir'>): string =>
  `${unversionedName(repository)}-v${ledgerFormat}`;

/** Returns the name that a state directory had in format 1, which nothing reads any more. */
export function unversionedName({ commonDir }: Pick<Repository, 'commonDir'>): string {
  const named = basename(commonDir) === '.git' ? basename(dirname(commonDir)) : basename(commonDir, '.git');
  const slug = named
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  return `${slug === '' ? 'repository' : slug}-${repositoryHash(commonDir)}`;
}

export const repositoryHash = (commonDir: string): string =>
  createHash('sha256').update(commonDir).digest('hex').slice(0, 12);

/**
 * A short directory for sockets: their paths may have 107 bytes at most, however deep the state directory lies.
 * Candidates in order; the first that can be made and is ours is used.
 */
export function runDirectories(commonDir: string, { env, uid }: Pick<PlaceInputs, 'env' | 'uid'>): readonly string[] {
  const name = `${repositoryHash(commonDir)}-v${ledgerFormat}`;
  const runtime = env['XDG_RUNTIME_DIR'];
  const places = [
    ...(uid === 0 ? ['/run/tidegate'] : []),
    ...(uid !== 0 && runtime?.startsWith('/') ? [join(runtime, 'tidegate')] : []),
    `/tmp/tidegate-${uid}`,
  ];
  return places.map((place) => join(place, name)).filter((path) => Buffer.byteLength(path) <= 64);
}

export const isBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
