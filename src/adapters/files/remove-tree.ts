import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, constants, fstatSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { absentAsNull, isAbsent } from './state-file.ts';

/**
 * Removes a tree that an agent may have written, also with read-only directories (as in Go's module cache) and with paths longer than
 * the kernel accepts. Never follows a link. An absent tree is fine, and another process may be removing it too.
 */
export async function removeTree(path: string | Buffer): Promise<void> {
  const failed = await rm(path, { recursive: true, force: true }).then(
    () => null,
    (error: unknown) => error,
  );
  if (failed === null) return;
  using place = makeRemovable(path, failed);
  await rm(place.path, again);
}

/** Does the same synchronously. */
export function removeTreeSync(path: string | Buffer): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (failed) {
    using place = makeRemovable(path, failed);
    rmSync(place.path, again);
  }
}

const again = { recursive: true, force: true, maxRetries: 3 };
const retryable = ['EACCES', 'EPERM', 'ENOENT', 'ENOTEMPTY', 'ENAMETOOLONG'];

type Place = { readonly path: Buffer } & Disposable;

/** Makes a tree removable after a failure, and returns the name to remove it by. */
function makeRemovable(path: string | Buffer, failed: unknown): Place {
  if (!retryable.includes((failed as NodeJS.ErrnoException).code ?? '')) throw failed;
  const place = shortPath(Buffer.from(path));
  try {
    openDirectories(place.path);
    return place;
  } catch (error) {
    place[Symbol.dispose]();
    throw error;
  }
}

/** Names the path by a descriptor of its parent directory, which makes any path short. */
function shortPath(path: Buffer): Place {
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

/** Makes every directory writable, and moves deep ones to the top, so that all can be named. */
function openDirectories(root: Buffer): void {
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

/** In bytes; leaves room for one more name below the kernel's limit of 4,096. */
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

/** Uses a descriptor of the directory itself, so that nothing that replaces it is touched. */
function openDirectory(path: Buffer): void {
  const directory = openSync(path, pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const isOpen = (fstatSync(directory).mode & 0o700) === 0o700;
    if (!isOpen) chmodSync(isLinux ? `/proc/self/fd/${directory}` : path, 0o700);
  } finally {
    closeSync(directory);
  }
}

/** False when another process has removed it. */
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
/** O_PATH, for which Node has no name: opens a directory without the permission to read it. */
const pathOnly = isLinux ? 0o10000000 : 0;
