import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Replaces the file as one step; when this returns it is on disk, content and name. */
export function writeDurably(path: string, content: string): void {
  const temporary = writeBeside(path, content);
  renameSync(temporary, path);
  syncDirectory(dirname(path));
}

/** Replaces the file as one step for every process that reads it; after a power cut it may be the old one, or none. */
export function writeWhole(path: string, content: string): void {
  const temporary = `${path}.${process.pid}.new`;
  writeFileSync(temporary, content, { mode: 0o600 });
  renameSync(temporary, path);
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

export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function writeBeside(path: string, content: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.new`;
  const file = openSync(temporary, 'w', 0o600);
  try {
    let rest = Buffer.from(content);
    while (rest.length > 0) rest = rest.subarray(writeSync(file, rest));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return temporary;
}
