import { chmodSync, constants, copyFileSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { hasCode, isAbsent } from '../../files/absent.ts';
import { git } from '../process/index.ts';

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
    if (!hasCode(error, ...unlinkable)) throw error;
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    chmodSync(to, readable.file);
  }
}

/** File systems without hard links, and files that have as many as they can. */
const unlinkable = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS'];

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

/** Where to cut so that the newest commits stay. None when there are no more than that. */
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

/** As git counts them: what is packed twice counts twice. */
export async function countObjects(gitDir: string): Promise<number> {
  const counted = (await git({ gitDir, args: ['count-objects', '-v'] })).toString('latin1');
  return [...counted.matchAll(/^(?:count|in-pack): (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}
