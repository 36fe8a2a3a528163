import { closeSync, lstatSync, opendirSync, openSync, readlinkSync, readSync } from 'node:fs';
import type { Entry, Look } from '../../domain/toolchains/look.ts';

/** This machine's files, for who decides what of them a fence shows. */
export const lookAround: Look = {
  at: (path) => unlessUnseen(() => entryAt(path)),
  names: (directory, most) => unlessUnseen(() => namesIn(directory, most)),
  text: (path) => unlessUnseen(() => (lstatSync(path).isFile() ? textIn(path) : null)),
};

function entryAt(path: string): Entry | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  const { mode } = stats;
  if (stats.isSymbolicLink()) return { kind: 'link', mode, to: readlinkSync(path) };
  return { kind: stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : 'other', mode };
}

/** Read piece by piece: a directory may hold millions. */
function namesIn(directory: string, most: number): readonly string[] | null {
  const open = opendirSync(directory, { bufferSize: 512 });
  try {
    const names: string[] = [];
    for (let entry = open.readSync(); entry !== null; entry = open.readSync())
      if (names.push(entry.name) > most) return null;
    return names;
  } finally {
    open.closeSync();
  }
}

const mostBytes = 65_536;

function textIn(path: string): string | null {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(mostBytes + 1);
    const read = readSync(file, bytes);
    return read > mostBytes ? null : bytes.toString('utf8', 0, read);
  } finally {
    closeSync(file);
  }
}

/** What the person may not see either, or what is taken away meanwhile, is not there. */
function unlessUnseen<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}
