import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CommitId } from '../../../domain/base/ids.ts';
import { syncDirectory, temporaryFor, writeDurably } from '../../files/durable-file.ts';
import { failpoint } from '../../process/failpoint.ts';
import { git, objectId, quotedPath } from '../process/index.ts';
import { countObjects, type HistoryLimits, readCut, whereToCut } from './cut-history.ts';
import { cutFile, linkOne, linkStore, makeObjectDirectory, packsOf, readable } from './link-store.ts';
import { nearestStore } from './nearest-store.ts';
import { wholePacks } from './whole-packs.ts';

/** The commit that something starts from, and the one that its work is compared with. */
export type Roots = { readonly from: CommitId; readonly base: CommitId };

export const storeName = ({ from, base }: Roots): string =>
  objectId(from) === objectId(base) ? from : `${from}.${base}`;

/** Makes the store at `place`: the packs of the nearest store of an ancestor, and one of what that does not hold. */
export async function makeStore(repository: string, roots: Roots, place: string, limits: HistoryLimits): Promise<void> {
  const tips = [...new Set([roots.from, roots.base])].map((tip) => objectId(tip));
  const stores = dirname(place);
  mkdirSync(stores, { recursive: true, mode: 0o700 });
  const fresh = temporaryFor(`${place}-${randomBytes(4).toString('hex')}`);
  try {
    const below = await beginWith(repository, stores, tips, fresh);
    const earlier = below === null ? [] : readCut(fresh);
    const isCut = below === null ? (await countObjects(repository)) > limits.objects : earlier.length > 0;
    // What the store below leaves out is not counted as there: the same cut makes git see what it holds.
    const cut = isCut ? [...new Set([...earlier, ...(await whereToCut(repository, tips, limits))])] : [];
    const shallow = cut.map((commit) => `--shallow ${commit}`);
    if (below !== null) await addPack(repository, fresh, ['--revs'], [...shallow, `^${below}`, ...tips]);
    else if (cut.length > 0) await addPack(repository, fresh, ['--revs'], [...shallow, ...tips]);
    else await addPack(repository, fresh, [], await linkWhole(repository, tips, fresh));
    // A new file: that of the store below is linked.
    rmSync(`${fresh}/${cutFile}`, { force: true });
    if (cut.length === 0) writeFileSync(`${fresh}/${cutFile}`, '');
    else writeDurably(`${fresh}/${cutFile}`, `${cut.join('\n')}\n`);
    chmodSync(`${fresh}/${cutFile}`, readable.file);
    for (const path of readdirSync(packsOf(fresh)).map((name) => `${packsOf(fresh)}/${name}`))
      if ((lstatSync(path).mode & readable.file) !== readable.file) chmodSync(path, readable.file);
    for (const folder of [packsOf(fresh), fresh]) syncDirectory(folder);
    failpoint('store-made');
    renameSync(fresh, place);
    failpoint('store-named');
  } catch (error) {
    // Another process was faster; a directory that is not empty cannot be replaced.
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Fills a new store with the packs of the nearest one; null when there is none to build on. */
async function beginWith(
  repository: string,
  stores: string,
  tips: readonly string[],
  fresh: string,
): Promise<string | null> {
  for (;;) {
    const below = await nearestStore(repository, stores, tips);
    rmSync(fresh, { recursive: true, force: true });
    if (below === null) makeObjectDirectory(fresh);
    if (below === null || linkStore(`${stores}/${below}`, fresh)) return below;
  }
}

/** Links the packs that hold nothing else, and returns the objects that are in none of them. */
async function linkWhole(repository: string, tips: readonly string[], fresh: string): Promise<readonly string[]> {
  const listed = await git({ gitDir: repository, args: ['rev-list', '--objects', '--no-object-names', ...tips] });
  const rest = new Set(listed.toString('latin1').trimEnd().split('\n'));
  const objects = `${repository}/objects`;
  for (const { files, ids } of wholePacks(objects, new Set(rest))) {
    for (const name of files) linkOne(`${packsOf(objects)}/${name}`, `${packsOf(fresh)}/${name}`);
    for (const id of ids) rest.delete(id);
  }
  return [...rest];
}

/** Looks for no new deltas: those that are there are kept, and the rest is little. Half a pack is where the half store is. */
async function addPack(
  repository: string,
  fresh: string,
  options: readonly string[],
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  await git({
    gitDir: repository,
    env: { GIT_OBJECT_DIRECTORY: fresh, GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(`${repository}/objects`) },
    config: ['core.fsync=all'],
    tied: true,
    stdin: `${lines.join('\n')}\n`,
    args: [
      ...['pack-objects', '--quiet', '--non-empty', '--delta-base-offset', '--window=0', ...options],
      `${packsOf(fresh)}/pack`,
    ],
  });
}
