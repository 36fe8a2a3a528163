import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
} from 'node:fs';

const reading = 0o400n;
const entering = 0o700n;

/**
 * Lets us read a file of our own, or list, enter and change a directory of our own, whatever modes an agent gave it. Only bits of the
 * owner are added, so that git's mode of a file stays what it was. Touches exactly the inode that was looked at: a link is never
 * followed, and a path on which something was swapped meanwhile is left alone. What belongs to another user is left alone too.
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

/** Opens a directory and those that lead to `path` below it, as far as there are any. */
export function openWay(root: string, path: string): void {
  const parts = path.split('/').slice(0, -1);
  for (let depth = 0; depth <= parts.length; depth += 1) {
    const directory = [root, ...parts.slice(0, depth)].join('/');
    const stats = lstatSync(directory, { bigint: true, throwIfNoEntry: false });
    if (stats?.isDirectory() !== true) return;
    openMode(directory, stats);
  }
}

/** Node has no name for O_PATH: such a descriptor stands for a file that cannot be read. */
const pathOnly = 0o10000000;
