import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { type CommitId, objectIdPattern } from '../../../domain/base/ids.ts';
import { syncDirectory, temporaryFor, writeDurably } from '../../files/durable-file.ts';
import { hasCode } from '../../files/state-file.ts';
import { failpoint } from '../../process/failpoint.ts';
import { git, launchError, objectId, quotedPath, spawnGit } from '../process/index.ts';
import {
  countObjects,
  cutFile,
  type HistoryLimits,
  isWhole,
  linkOne,
  linkStore,
  makeObjectDirectory,
  namesIn,
  packsOf,
  readable,
  readCut,
  whereToCut,
} from './link-store.ts';

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
    // The same cut as in the store below: git then sees exactly the objects that it holds.
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
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
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
  const ids = await git({ gitDir: repository, args: ['rev-list', '--objects', '--no-object-names', ...tips] });
  const rest = new Set(ids.toString('latin1').trimEnd().split('\n'));
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

/** More are not worth it: git looks for an object in one after the other. */
const mostLinked = 8;

/** Git looks for an object in one pack after the other: with more, a store is built on one that has few again. */
const mostPacks = 32;
const fewPacks = mostLinked + 1;

/** The newest commit among these and their ancestors that has a store to build on; null when there is none. */
async function nearestStore(gitDir: string, stores: string, tips: readonly string[]): Promise<string | null> {
  const withStore = new Set(namesIn(stores).filter((name) => objectIdPattern.test(name)));
  if (withStore.size === 0) return null;
  const call = { gitDir, args: ['rev-list', ...tips] };
  const walk = spawnGit(call);
  if (walk.stdout === null) throw new Error('git without pipes');
  const ended = once(walk, 'close').catch((error: Error) => {
    throw launchError(call, error);
  });
  let most = mostPacks - 1;
  let nearest: string | null = null;
  for await (const commit of createInterface({ input: walk.stdout })) {
    if (!withStore.has(commit)) continue;
    const packs = namesIn(packsOf(`${stores}/${commit}`)).filter((name) => name.endsWith('.idx')).length;
    if (!isWhole(`${stores}/${commit}`)) continue;
    if (packs <= most) {
      nearest = commit;
      break;
    }
    most = fewPacks;
  }
  walk.kill('SIGKILL');
  await ended;
  return nearest;
}

/** A pack of our repository, and the objects in it. */
type WholePack = { readonly files: readonly string[]; readonly ids: readonly string[] };

/**
 * The largest packs of an object directory in which every object is one of these: a store can have them by link, without a copy.
 * Often that is all there is: a repository with one branch that was packed.
 */
function wholePacks(objects: string, wanted: ReadonlySet<string>): readonly WholePack[] {
  const folder = packsOf(objects);
  return readdirSync(folder)
    .filter((name) => /^pack-[0-9a-f]+\.idx$/.test(name))
    .map((name) => ({ name, bytes: statSync(`${folder}/${name}`).size }))
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, 2 * mostLinked)
    .map(({ name }) => ({
      files: [name.replace(/idx$/, 'pack'), name],
      ids: idsIn(readFileSync(`${folder}/${name}`), wanted),
    }))
    .filter(({ ids }) => ids.length > 0)
    .slice(0, mostLinked);
}

/** The ids that an index of version 2 lists, if all are wanted; else none. */
function idsIn(index: Buffer, wanted: ReadonlySet<string>): readonly string[] {
  const [first] = wanted;
  if (
    first === undefined ||
    index.length < tables ||
    index.readUInt32BE(0) !== 0xff744f63 ||
    index.readUInt32BE(4) !== 2
  )
    return [];
  const bytes = first.length / 2;
  const count = index.readUInt32BE(tables - 4);
  if (count > wanted.size) return [];
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const id = index.toString('hex', tables + at * bytes, tables + (at + 1) * bytes);
    if (!wanted.has(id)) return [];
    ids.push(id);
  }
  return ids;
}

/** Magic, version, and 256 counts: the last of them is how many there are. */
const tables = 8 + 256 * 4;
