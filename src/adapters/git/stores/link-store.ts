import { chmodSync, constants, copyFileSync, linkSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { isAbsent } from '../../files/absent.ts';

/** Where packs are in an object directory, and who may read them: agents of root have a uid of their own. */
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
    if (!unlinkable.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    chmodSync(to, readable.file);
  }
}

/** File systems without hard links, and files that have as many as they can. */
const unlinkable: ReadonlySet<string> = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS']);

/** Whether a store has all its parts: each pack with its index, and where its history ends. False for one that is gone. */
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
