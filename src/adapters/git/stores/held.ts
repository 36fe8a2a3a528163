import { lstatSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Holding } from '../../../domain/kept/disk.ts';
import type { StateDir } from '../../../domain/ledger/state-dir.ts';
import { isAbsent } from '../../files/absent.ts';
import { temporaryFor } from '../../files/durable-file.ts';
import { removeTree } from '../../files/remove-tree.ts';
import { namesIn, packsOf } from './link-store.ts';

/** The objects that a workspace borrows: beside it, and read-only for whoever works in it. */
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

/** Its name goes first: whoever links its packs at this moment sees that it is not there any more. */
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
