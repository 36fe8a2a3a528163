import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { removeTreeSync } from './remove-tree.ts';

/** Replaces the file atomically. When this returns, content and name are on disk. */
export function writeDurably(path: string, content: string): void {
  const temporary = writeBeside(path, content);
  replace(temporary, path);
  syncDirectory(dirname(path));
}

/** Replaces the file atomically for every reader, without a sync: after a power cut it may be the old file, or none. */
export function writeWhole(path: string, content: string): void {
  const temporary = temporaryFor(path);
  try {
    writeFileSync(temporary, content, { mode: 0o600 });
    replace(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Creates the file unless it exists. Of any number of processes, exactly one gets true. */
export function claimDurably(path: string, content: string): boolean {
  const temporary = writeBeside(path, content);
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(temporary);
  }
  syncDirectory(dirname(path));
  return true;
}

/** Moves a directory at this path aside instead of losing it. */
function replace(temporary: string, path: string): void {
  try {
    renameSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
    renameSync(path, `${path}.damaged.${process.pid}`);
    renameSync(temporary, path);
  }
}

/** Flushes the content of a file. */
export function flushFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Flushes the names in a directory. */
export const syncDirectory = (path: string): void => flushFile(path);

/** Removes the temporary files of processes that died before their file was complete. */
export function removeUnfinished(directory: string): void {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  for (const name of names) {
    const pid = /\.(\d+)\.new$/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) removeTreeSync(join(directory, name));
  }
}

/** Holds the writer's pid, so that a file without a living writer is recognised. */
export const temporaryFor = (path: string): string => `${path}.${process.pid}.new`;

/** Removes the incomplete file when the disk is full: nobody else would. */
function writeBeside(path: string, content: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = temporaryFor(path);
  const file = openSync(temporary, 'w', 0o600);
  try {
    let rest = Buffer.from(content);
    while (rest.length > 0) rest = rest.subarray(writeSync(file, rest));
    fsyncSync(file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return temporary;
}
