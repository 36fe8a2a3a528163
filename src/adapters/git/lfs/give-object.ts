import {
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../files/durable-file.ts';
import { failpoint } from '../../process/failpoint.ts';
import { objectPath } from './store.ts';

/**
 * Puts an object of ours into the person's store, whole, on disk, and owned by whoever owns that store. What is there
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
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return ownerOf(dirname(path));
  return process.getuid?.() === 0 && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : null;
}

function makeDirectory(path: string, owner: Owner | null): void {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  makeDirectory(dirname(path), owner);
  mkdirSync(path, { recursive: true });
  if (owner !== null) chownSync(path, owner.uid, owner.gid);
}

const unlinkable: ReadonlySet<string> = new Set(['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'ENOSYS']);

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'EEXIST') return true;
    if (unlinkable.has(code)) return false;
    throw error;
  }
}

/** There is one merger at a time, so that the temporary name is ours alone; the last step replaces nothing. */
function copy(from: string, to: string, theirs: string, owner: Owner | null): void {
  const temporary = join(theirs, 'tmp', 'tidegate-landing');
  makeDirectory(dirname(temporary), owner);
  rmSync(temporary, { force: true });
  copyFileSync(from, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  flush(temporary);
  if (owner !== null) chownSync(temporary, owner.uid, owner.gid);
  failpoint('merger-lfs-copied');
  try {
    linkSync(temporary, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  rmSync(temporary);
}

function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
