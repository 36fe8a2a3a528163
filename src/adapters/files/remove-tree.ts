import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, constants, fstatSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { absentAsNull, isAbsent } from '../state-directory/absent.ts';

/**
 * Removes a tree that an agent may have written: with directories closed to us (Go's modules have them too), and with paths longer
 * than the kernel takes. Never follows a link. Absent is fine. Another process may be removing it too.
 */
export async function removeTree(path: string | Buffer): Promise<void> {
  const failed = await rm(path, { recursive: true, force: true }).then(
    () => null,
    (error: unknown) => error,
  );
  if (failed === null) return;
  using place = mended(path, failed);
  await rm(place.path, again);
}

/** The same at once. */
export function removeTreeSync(path: string | Buffer): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (failed) {
    using place = mended(path, failed);
    rmSync(place.path, again);
  }
}

const again = { recursive: true, force: true, maxRetries: 3 };
const mendable = ['EACCES', 'EPERM', 'ENOENT', 'ENOTEMPTY', 'ENAMETOOLONG'];

type Place = { readonly path: Buffer } & Disposable;

/** Makes a tree that could not be removed one that can be, and says by what name. */
function mended(path: string | Buffer, failed: unknown): Place {
  if (!mendable.includes((failed as NodeJS.ErrnoException).code ?? '')) throw failed;
  const place = held(Buffer.from(path));
  try {
    mend(place.path);
    return place;
  } catch (error) {
    place[Symbol.dispose]();
    throw error;
  }
}

/** Named by the open directory that it lies in, a path is short, however long it is. */
function held(path: Buffer): Place {
  const cut = path.lastIndexOf('/');
  const parent = isLinux && cut > 0 ? openedOrNull(path.subarray(0, cut)) : null;
  if (parent === null) return { path, [Symbol.dispose]: () => undefined };
  return {
    path: Buffer.concat([Buffer.from(`/proc/self/fd/${parent}`), path.subarray(cut)]),
    [Symbol.dispose]: () => closeSync(parent),
  };
}

function openedOrNull(directory: Buffer): number | null {
  try {
    return openSync(directory, pathOnly | constants.O_DIRECTORY);
  } catch (error) {
    return absentAsNull(error);
  }
}

/** Opens every directory, and moves those that lie deep to the top, so that all can be named. */
function mend(root: Buffer): void {
  const waiting = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const name of directoriesIn(next)) {
      const path = inside(next, name);
      if (path.length <= deep) waiting.push(path);
      else {
        const to = inside(root, Buffer.from(randomUUID()));
        openDirectory(path);
        if (isMoved(path, to)) waiting.push(to);
      }
    }
  }
}

/** In bytes; far enough from what the kernel takes, 4,096, for one more name. */
const deep = 2_000;

function directoriesIn(directory: Buffer): readonly Buffer[] {
  try {
    openDirectory(directory);
    const entries = readdirSync(directory, { withFileTypes: true, encoding: 'buffer' });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** By a descriptor of the directory itself, so that nothing put in its place is touched. */
function openDirectory(path: Buffer): void {
  const directory = openSync(path, pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const isOpen = (fstatSync(directory).mode & 0o700) === 0o700;
    if (!isOpen) chmodSync(isLinux ? `/proc/self/fd/${directory}` : path, 0o700);
  } finally {
    closeSync(directory);
  }
}

/** False: another process has taken it away. */
function isMoved(from: Buffer, to: Buffer): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

const inside = (directory: Buffer, name: Buffer): Buffer => Buffer.concat([directory, Buffer.from('/'), name]);

const isLinux = process.platform === 'linux';
/** Node has no name for O_PATH: such a descriptor stands for a directory that cannot be read. */
const pathOnly = isLinux ? 0o10000000 : 0;
