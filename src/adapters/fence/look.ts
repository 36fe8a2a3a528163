import { closeSync, lstatSync, opendirSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs';
import type { FileEntry, Listed, Look } from '../../domain/toolchains/look.ts';

/** This machine's files, for who decides what of them a fence shows. */
export const lookAround: Look = {
  at: (path) => unlessUnseen(() => entryAt(path)),
  list: (directory, most) => unlessUnseen(() => listed(directory, most)),
  text: (path) => unlessUnseen(() => (lstatSync(path).isFile() ? textIn(path) : null)),
};

function entryAt(path: string): FileEntry | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  const { mode } = stats;
  const kind = kindOf(stats);
  return kind === 'link' ? { kind, mode, to: readlinkSync(path) } : { kind, mode };
}

/** A file system that does not tell the kind in its listing is looked at entry by entry by Node itself. */
function kindOf(entry: Pick<Stats, 'isSymbolicLink' | 'isDirectory' | 'isFile'>): FileEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  return entry.isDirectory() ? 'directory' : entry.isFile() ? 'file' : 'other';
}

/** Read piece by piece: a directory may hold millions. */
function listed(directory: string, most: number): readonly Listed[] | null {
  const open = opendirSync(directory, { bufferSize: 512 });
  try {
    const found: Listed[] = [];
    const start = directory === '/' ? '' : directory;
    for (let entry = open.readSync(); entry !== null; entry = open.readSync())
      if (found.push({ path: `${start}/${entry.name}`, kind: kindOf(entry) }) > most) return null;
    return found;
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
