import { createHash } from 'node:crypto';
import {
  chownSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { flushFile, syncDirectory } from '../../files/durable-file.ts';
import { hasCode } from '../../files/state-file.ts';
import { failpoint } from '../../process/failpoint.ts';
import { runGit } from '../process/index.ts';
import { findCheckout } from '../read/index.ts';
import type { Pointer } from './attributes.ts';

/** Returns the path of an object in a store with git-lfs's own layout, ours or the person's. */
export const objectPath = (store: string, oid: string): string =>
  join(store, 'objects', oid.slice(0, 2), oid.slice(2, 4), oid);

/** The first of the stores that has the object, by name and length; null when none has. */
export function findObject(stores: readonly string[], { oid, size }: Pointer): string | null {
  const places = stores.map((store) => objectPath(store, oid));
  return places.find((place) => lengthOf(place) === size) ?? null;
}

/** The content to be kept is not what its pointer says. */
export class OtherContent extends Error {
  override readonly name = 'OtherContent';
}

/**
 * Keeps content in our store. When this resolves it is on disk, name and all; before that nobody can see it. Content
 * that is there already is not written again. `scratch` names a file that no other process uses meanwhile.
 */
export async function keepObject(
  store: string,
  pointer: Pointer,
  from: { readonly chunks: Iterable<Buffer> | AsyncIterable<Buffer>; readonly scratch: string },
): Promise<void> {
  const place = objectPath(store, pointer.oid);
  const temporary = join(store, 'tmp', from.scratch);
  failpoint('lfs-object-before');
  if (lengthOf(place) !== pointer.size) {
    for (const folder of [dirname(temporary), dirname(place)]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    await rm(temporary, { force: true });
    if (!(await pour(from.chunks, temporary, pointer, { mode: 0o444, flush: true }))) {
      await rm(temporary, { force: true });
      throw new OtherContent(`${pointer.oid} changed while it was kept`);
    }
    failpoint('lfs-object-written');
    await rename(temporary, place);
  }
  for (let folder = dirname(place); folder.length >= store.length; folder = dirname(folder)) syncDirectory(folder);
  failpoint('lfs-object-kept');
}

/** Writes a new file. False when the content does not match the pointer; the file is then still there. */
export async function pour(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  to: string,
  { oid, size }: Pointer,
  how: { readonly mode: number; readonly flush: boolean },
): Promise<boolean> {
  await using file = await open(to, 'wx', how.mode);
  const hash = createHash('sha256');
  let written = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    await file.writeFile(chunk);
    written += chunk.length;
  }
  if (how.flush) await file.sync();
  return written === size && hash.digest('hex') === oid;
}

/** Reads a file of a store in chunks. Each chunk is valid until the next is read. */
export async function* objectChunks(path: string): AsyncGenerator<Buffer> {
  await using file = await open(path, constants.O_RDONLY);
  const buffer = Buffer.allocUnsafe(1 << 20);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

function lengthOf(path: string): number | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? stats.size : null;
}

/** Returns the directory in which git-lfs keeps the objects of a person's repository: `lfs.storage`, or `lfs` in the common git directory. */
export async function personsStore(
  checkout: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { commonDir } = await findCheckout(checkout);
  const setting = await runGit({
    cwd: checkout,
    env: { HOME: environment['HOME'] ?? '/', GIT_CONFIG_GLOBAL: globalConfig(environment) },
    args: ['config', '--type=path', '--get', 'lfs.storage'],
  });
  const storage = setting.exitCode === 0 ? setting.stdout.toString('utf8').trim() : '';
  if (storage === '') return join(commonDir, 'lfs');
  return isAbsolute(storage) ? storage : join(commonDir, storage);
}

function globalConfig(environment: Readonly<Record<string, string | undefined>>): string {
  const { HOME: home = '/', XDG_CONFIG_HOME: xdg = `${home}/.config`, GIT_CONFIG_GLOBAL: named } = environment;
  if (named !== undefined) return named;
  return existsSync(`${home}/.gitconfig`) ? `${home}/.gitconfig` : `${xdg}/git/config`;
}

/**
 * Puts an object of ours into the person's store, whole, on disk, and owned by the owner of that store. What is there
 * already stays as it is. By hard link where that is possible, else by a copy. Safe to repeat.
 */
export function giveObject(ours: string, theirs: string, oid: string): void {
  const [from, to] = [objectPath(ours, oid), objectPath(theirs, oid)];
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) return;
  failpoint('merger-lfs-before');
  const owner = ownerOf(theirs);
  makeDirectory(dirname(to), owner);
  // A link would give our own file away together with theirs.
  if (owner !== null || !linked(from, to)) copy(from, to, theirs, owner);
  for (let folder = dirname(to); folder.length >= theirs.length; folder = dirname(folder)) syncDirectory(folder);
  failpoint('merger-lfs-given');
}

type Owner = { readonly uid: number; readonly gid: number };

/** Null when what we make belongs to the right one anyway. */
function ownerOf(path: string): Owner | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return ownerOf(dirname(path));
  return process.getuid?.() === 0 && stats.uid !== 0 ? { uid: stats.uid, gid: stats.gid } : null;
}

function makeDirectory(path: string, owner: Owner | null): void {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  makeDirectory(dirname(path), owner);
  mkdirSync(path, { recursive: true });
  if (owner !== null) chownSync(path, owner.uid, owner.gid);
}

const unlinkable = ['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'ENOSYS'];

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return true;
    if (hasCode(error, ...unlinkable)) return false;
    throw error;
  }
}

/** There is one merger at a time, so that the temporary name is ours alone; the last step replaces nothing. */
function copy(from: string, to: string, theirs: string, owner: Owner | null): void {
  const temporary = join(theirs, 'tmp', 'tidegate-landing');
  makeDirectory(dirname(temporary), owner);
  rmSync(temporary, { force: true });
  copyFileSync(from, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  flushFile(temporary);
  if (owner !== null) chownSync(temporary, owner.uid, owner.gid);
  failpoint('merger-lfs-copied');
  try {
    linkSync(temporary, to);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  rmSync(temporary);
}
