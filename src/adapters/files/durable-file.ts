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

/** Replaces the file as one step; when this returns it is on disk, content and name. */
export function writeDurably(path: string, content: string): void {
  const temporary = writeBeside(path, content);
  replace(temporary, path);
  syncDirectory(dirname(path));
}

/** Replaces the file as one step for every process that reads it; after a power cut it may be the old one, or none. */
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

/** Makes the file unless it exists: of any number of processes exactly one gets true. */
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

/** A directory that somebody put in its place is moved aside, not lost. */
function replace(temporary: string, path: string): void {
  try {
    renameSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
    renameSync(path, `${path}.damaged.${process.pid}`);
    renameSync(temporary, path);
  }
}

export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** What a process that died before its file was whole has left in a directory. */
export function removeUnfinished(directory: string): void {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  for (const name of names) {
    const pid = /\.(\d+)\.new$/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) removeTreeSync(join(directory, name));
  }
}

/** Named after its maker, so that it is known when nobody writes it any more. */
export const temporaryFor = (path: string): string => `${path}.${process.pid}.new`;

/** On a full disk what was begun is taken away again: it would stay for ever. */
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
