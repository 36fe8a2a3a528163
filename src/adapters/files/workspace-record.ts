import {
  type BigIntStats,
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { CommitId } from '../../domain/base/ids.ts';
import type { TreeEntry } from '../git/read/index.ts';
import { readCache } from './state-file.ts';

/**
 * Holds the commit and the files that a workspace was made of. It lies outside the workspace and is written last, so it also marks the
 * workspace as complete. A file whose print is unchanged has its old content, because an unprivileged process cannot set ctime.
 */
type WorkspaceRecord = {
  readonly version: 1;
  readonly commit: string;
  /** Inode of the directory: another directory at the same place is another workspace. */
  readonly inode: string;
  /** path, print, object id */
  readonly files: readonly (readonly [string, string, string])[];
  /** path, print: copied from the person's checkout by `.worktreeinclude` */
  readonly included: readonly (readonly [string, string])[];
  /** Files of submodules; absent where there are none, as is `ignores`. */
  readonly modules?: readonly ModuleRow[];
  /** directory, text of the `.gitignore` of a submodule there */
  readonly ignores?: readonly (readonly [string, string])[];
};

/** A file of a submodule as the workspace got it. The print is empty when it was too fresh to tell. */
export type ModuleRow = readonly [path: string, print: string, id: string, mode: string];

/** Two stats with the same print are of the same, unwritten file. */
export const statPrint = (stats: BigIntStats): string =>
  `${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.ino} ${stats.mode}`;

/** The record at `path`; null when there is none or it cannot be understood (then every file is hashed again). */
export function readRecord(path: string): WorkspaceRecord | null {
  const raw = readCache<unknown>(path, JSON.parse);
  return isRecord(raw) ? raw : null;
}

/** Parses by hand: a schema library would cost every attempt more than all of its own code together. */
function isRecord(raw: unknown): raw is WorkspaceRecord {
  if (typeof raw !== 'object' || raw === null) return false;
  const { version, commit, inode, files, included, modules, ignores } = raw as Record<keyof WorkspaceRecord, unknown>;
  const isText = typeof commit === 'string' && typeof inode === 'string';
  const areModules = (modules === undefined || areRows(modules, 4)) && (ignores === undefined || areRows(ignores, 2));
  return version === 1 && isText && areRows(files, 3) && areRows(included, 2) && areModules;
}

const areRows = (raw: unknown, width: number): boolean =>
  Array.isArray(raw) &&
  raw.every((row) => Array.isArray(row) && row.length === width && row.every((cell) => typeof cell === 'string'));

/** Looks at every file of a fresh workspace and writes the record. Nothing may write to the workspace meanwhile. */
export async function writeRecord(
  path: string,
  made: {
    readonly directory: string;
    readonly commit: CommitId;
    readonly tree: readonly TreeEntry[];
    readonly modules: readonly TreeEntry[];
    readonly included: readonly string[];
  },
): Promise<void> {
  const look = (file: string) => lstatSync(`${made.directory}/${file}`, { bigint: true });
  const files = made.tree.map((entry) => ({ entry, stats: look(entry.path) }));
  const modules = made.modules.map((entry) => ({ entry, stats: look(entry.path) }));
  const included = made.included.map((file) => ({ file, stats: look(file) }));
  const now = await untilSettled(path, [...files, ...modules]);
  const record: WorkspaceRecord = {
    version: 1,
    commit: made.commit,
    inode: String(look('').ino),
    files: files
      .filter(({ stats }) => isSettled(stats, now))
      .map(({ entry, stats }) => [entry.path, statPrint(stats), entry.id]),
    included: included.map(({ file, stats }) => [file, statPrint(stats)]),
    ...(modules.length === 0 ? {} : moduleRecord(made.directory, modules, now)),
  };
  // Whole or absent, but not flushed: after a power cut neither the files nor this could be trusted anyway, and
  // flushing would wait for every file of the checkout.
  writeFileSync(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function moduleRecord(
  directory: string,
  modules: readonly { readonly entry: TreeEntry; readonly stats: BigIntStats }[],
  now: bigint,
): Pick<WorkspaceRecord, 'modules' | 'ignores'> {
  const ignores = modules.filter(({ entry, stats }) => entry.path.endsWith('/.gitignore') && stats.isFile());
  return {
    modules: modules.map(({ entry: { path, id, mode }, stats }) => [
      path,
      isSettled(stats, now) ? statPrint(stats) : '',
      id,
      mode,
    ]),
    ignores: ignores.map(({ entry: { path } }) => [
      path.slice(0, -'/.gitignore'.length),
      readFileSync(`${directory}/${path}`, 'utf8'),
    ]),
  };
}

const tick = 20_000_000n;
const coarse = 2_000_000_000n;

/**
 * A write within one tick of the clock leaves ctime as it is. A file that changed that recently is left out of the
 * record and hashed at the snapshot. Whole seconds mean a file system that keeps no finer time.
 */
const isSettled = (stats: BigIntStats, now: bigint): boolean =>
  stats.ctimeNs < now - (stats.ctimeNs % 1_000_000_000n === 0n ? coarse : tick);

/** Files that we wrote last need a moment more: waiting for it is cheaper than reading all of them at the snapshot. */
async function untilSettled(path: string, files: readonly { readonly stats: BigIntStats }[]): Promise<bigint> {
  const newest = files.reduce((latest, { stats }) => (stats.ctimeNs > latest ? stats.ctimeNs : latest), 0n);
  const rest = newest + tick - fileSystemClock(path);
  if (rest >= 0n && rest <= tick) await setTimeout(Number(rest / 1_000_000n) + 1);
  return fileSystemClock(path);
}

/** The time that the file system would give a file now; the process clock may run ahead of it. */
function fileSystemClock(beside: string): bigint {
  const probe = `${beside}.clock`;
  const file = openSync(probe, 'w', 0o600);
  try {
    return fstatSync(file, { bigint: true }).ctimeNs;
  } finally {
    closeSync(file);
    rmSync(probe);
  }
}
