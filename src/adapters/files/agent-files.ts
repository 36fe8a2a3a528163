import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
} from 'node:fs';

const reading = 0o400n;
const entering = 0o700n;

/**
 * Adds the owner's permission bits that we need to read a file, or to list, enter and change a directory, whatever modes an agent gave
 * it. git's mode of a file stays the same. Changes exactly the inode that `stats` describes: a link is never followed, and a path that
 * was swapped meanwhile is left alone, as is a file of another user.
 */
export function openMode(path: string, stats: BigIntStats): void {
  if (!stats.isDirectory() && !stats.isFile()) return;
  const wanted = stats.isDirectory() ? entering : reading;
  if ((stats.mode & wanted) === wanted || Number(stats.uid) !== process.getuid?.()) return;
  const mode = Number((stats.mode | wanted) & 0o7777n);
  if (process.platform !== 'linux') {
    chmodSync(path, mode);
    return;
  }
  const file = openSync(path, pathOnly | constants.O_NOFOLLOW);
  try {
    const { ino, dev } = fstatSync(file, { bigint: true });
    const link = `/proc/self/fd/${file}`;
    if (ino === stats.ino && dev === stats.dev && readlinkSync(link) === path) chmodSync(link, mode);
  } finally {
    closeSync(file);
  }
}

/** Opens the modes of a directory and of the directories that lead to `path` below it, as far as they exist. */
export function openWay(root: string, path: string): void {
  const parts = path.split('/').slice(0, -1);
  for (let depth = 0; depth <= parts.length; depth += 1) {
    const directory = [root, ...parts.slice(0, depth)].join('/');
    const stats = lstatSync(directory, { bigint: true, throwIfNoEntry: false });
    if (stats?.isDirectory() !== true) return;
    openMode(directory, stats);
  }
}

/**
 * Reads a file that a program in a fence wrote, when nothing of that program is alive. Neither blocks nor follows a link, and reads no
 * file that is longer than `limit` bytes.
 */
export function readPlainFile(
  root: string,
  path: string,
  limit: number,
): Buffer | 'absent' | 'not-a-file' | 'too-long' {
  openWay(root, path);
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const place = [root, ...parts.slice(0, depth)].join('/');
    const stats = lstatSync(place, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return 'absent';
    if (depth < parts.length ? !stats.isDirectory() : !stats.isFile()) return 'not-a-file';
    if (depth === parts.length) openMode(place, stats);
  }
  const file = openSync(`${root}/${path}`, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(file);
    if (size > limit) return 'too-long';
    const buffer = Buffer.alloc(size);
    let length = 0;
    for (let got = -1; got !== 0 && length < size; length += got)
      got = readSync(file, buffer, length, size - length, length);
    return buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** O_PATH, for which Node has no name: opens a file without the permission to read it. */
const pathOnly = 0o10000000;

/** True for an absolute path near the kernel's limit of 4,096 bytes. Files that deep are not worked with, so that every path around them can be named. */
export const isTooLong = (path: string): boolean => Buffer.byteLength(path) > 3_900;
