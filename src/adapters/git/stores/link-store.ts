import {
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Holding } from '../../../domain/kept/disk.ts';
import type { StateDir } from '../../../domain/ledger/state-dir.ts';
import { temporaryFor } from '../../files/durable-file.ts';
import { removeTree } from '../../files/remove-tree.ts';
import { hasCode, isAbsent } from '../../files/state-file.ts';
import { git } from '../process/index.ts';

/** The packs of an object directory. Everyone may read them: agents of root have a uid of their own. */
export const packsOf = (objects: string): string => `${objects}/pack`;
export const readable = { directory: 0o755, file: 0o444 } as const;

/** Commits whose parents are left out, one on each line, as git keeps them for a shallow clone. A store is whole with it. */
export const cutFile = 'shallow';

/** Makes an object directory of what a store holds. False when the store is gone, or goes meanwhile. */
export function linkStore(store: string, directory: string): boolean {
  makeObjectDirectory(directory);
  try {
    const packs = readdirSync(packsOf(store)).map((name) => `pack/${name}`);
    for (const name of [...packs, cutFile]) linkOne(`${store}/${name}`, `${directory}/${name}`);
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
  return true;
}

export function makeObjectDirectory(path: string): void {
  mkdirSync(packsOf(path), { recursive: true });
  for (const folder of [path, packsOf(path)]) chmodSync(folder, readable.directory);
}

/** A copy where there can be no link. */
export function linkOne(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!hasCode(error, ...unlinkable)) throw error;
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    chmodSync(to, readable.file);
  }
}

/** File systems without hard links, and files that have as many as they can. */
const unlinkable = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS'];

/** True when a store has all its parts: each pack with its index, and the end of its history. False when it is gone. */
export function isWhole(store: string): boolean {
  const names = new Set(namesIn(packsOf(store)));
  const packs = [...names].filter((name) => name.endsWith('.pack')).map((name) => name.slice(0, -'.pack'.length));
  const indexes = [...names].filter((name) => name.endsWith('.idx'));
  const isPaired = packs.length === indexes.length && packs.every((pack) => names.has(`${pack}.idx`));
  return packs.length > 0 && isPaired && lstatSync(`${store}/${cutFile}`, { throwIfNoEntry: false }) !== undefined;
}

/** Empty for a directory that is not there. */
export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** From so many objects on a history is cut, after so many commits. */
export type HistoryLimits = { readonly objects: number; readonly commits: number };

/** Commits at which the history of an object directory is cut; none when it is whole. */
export const readCut = (objects: string): readonly string[] =>
  readFileSync(`${objects}/${cutFile}`, 'latin1')
    .split('\n')
    .filter((line) => line !== '');

/** False for a store that is gone by now. */
export const isCut = (store: string): boolean =>
  (lstatSync(`${store}/${cutFile}`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Returns the commits to cut at, so that the newest stay. None when there are no more than that. */
export async function whereToCut(
  gitDir: string,
  tips: readonly string[],
  { commits }: HistoryLimits,
): Promise<readonly string[]> {
  const lines = await git({ gitDir, args: ['rev-list', '--parents', `--max-count=${commits}`, ...tips] });
  const rows = lines
    .toString('latin1')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '));
  const kept = new Set(rows.map(([commit]) => commit));
  const edges = rows.flatMap(([commit = '', ...parents]) => (parents.every((one) => kept.has(one)) ? [] : [commit]));
  // A tip that is older than all the rest is there too, alone.
  return [...edges, ...tips.filter((tip) => !kept.has(tip))];
}

/** Counts objects as git does: an object that is packed twice counts twice. */
export async function countObjects(gitDir: string): Promise<number> {
  const counted = (await git({ gitDir, args: ['count-objects', '-v'] })).toString('latin1');
  return [...counted.matchAll(/^(?:count|in-pack): (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The objects that a workspace borrows. They lie beside it and are read-only in it. */
export const objectsBeside = (workspace: string): string => `${workspace}.objects`;

type Store = { readonly id: string; readonly usedAt: number; readonly files: readonly PackFile[] };
type PackFile = { readonly inode: number; readonly links: number; readonly bytes: number };

/**
 * The stores that nobody borrows: each has a file that only stores link to. Files of several count for the one used last, which
 * goes last; files of one that is in use count for none, nor do packs of our repository.
 */
export function unusedStores({
  stores,
  repository,
}: Pick<StateDir, 'stores' | 'repository'>): readonly Extract<Holding, { kind: 'store' }>[] {
  const shared = new Set(filesIn(packsOf(`${repository}/objects`)).map(({ inode }) => inode));
  const all = namesIn(stores)
    .filter((name) => !name.endsWith('.new'))
    .flatMap((id): Store[] => {
      const usedAt = lstatSync(join(stores, id), { throwIfNoEntry: false })?.mtimeMs;
      const files = filesIn(packsOf(join(stores, id))).filter(({ inode }) => !shared.has(inode));
      return usedAt === undefined ? [] : [{ id, usedAt, files }];
    });
  const holders = new Map<number, number>();
  for (const { files } of all) for (const { inode } of files) holders.set(inode, (holders.get(inode) ?? 0) + 1);
  const isBorrowed = ({ inode, links }: PackFile): boolean => links > (holders.get(inode) ?? 0);
  const isUsed = ({ files }: Store): boolean => files.every(isBorrowed);
  const counted = new Set(all.filter(isUsed).flatMap(({ files }) => files.map(({ inode }) => inode)));
  return all
    .filter((store) => !isUsed(store))
    .toSorted((a, b) => b.usedAt - a.usedAt)
    .map(({ id, usedAt, files }) => {
      const own = files.filter(({ inode }) => !counted.has(inode));
      for (const { inode } of own) counted.add(inode);
      return { kind: 'store', id, usedAt, bytes: own.reduce((sum, { bytes }) => sum + bytes, directoryBytes) };
    });
}

/** Its name is removed first, so that a process that links its packs at this moment sees that it is gone. */
export async function removeStore(place: string): Promise<void> {
  const gone = temporaryFor(`${place}-gone`);
  try {
    renameSync(place, gone);
  } catch (error) {
    if (isAbsent(error)) return;
    throw error;
  }
  await removeTree(gone);
}

/** Two directories, in blocks: a store that holds nothing of its own goes too. */
const directoryBytes = 8_192;

/** Files that are gone meanwhile are left out. */
const filesIn = (packs: string): readonly PackFile[] =>
  namesIn(packs).flatMap((name) => {
    const stats = lstatSync(join(packs, name), { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ inode: stats.ino, links: stats.nlink, bytes: stats.blocks * 512 }];
  });
