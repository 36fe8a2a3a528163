import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { bytesOfShown } from '../../domain/base/shown-path.ts';
import { wholeWorkspace } from '../../domain/kept/kept-paths.ts';
import { absentAsNull } from '../state-directory/absent.ts';

/**
 * Where a path lies that people were shown. Links on the way are not followed. A name in which a credential was masked is found by the
 * rest of it, so that there may be several.
 */
export async function placesOf(workspace: string, shown: string): Promise<readonly Buffer[]> {
  const root = Buffer.from(workspace);
  if (shown === wholeWorkspace) return (await isDirectory(root)) ? [root] : [];
  const bytes = bytesOfShown(shown);
  const names = Buffer.from(bytes ?? [])
    .toString('latin1')
    .split('/');
  if (bytes === null || names.some((name) => ['', '.', '..'].includes(name))) return [];
  let found: readonly Buffer[] = [root];
  for (const name of names) {
    const inside = found.map(async (directory) => ((await isDirectory(directory)) ? entriesOf(directory, name) : []));
    found = (await Promise.all(inside)).flat();
  }
  return found;
}

/** Of a file, or of all below a directory, by allocated blocks. Whatever goes away meanwhile, is closed to us or lies too deep counts nothing. */
export async function allocatedAt(place: Buffer): Promise<number> {
  const stats = await lstat(place).catch(unseenAsNull);
  if (stats === null) return 0;
  if (!stats.isDirectory()) return stats.blocks * 512;
  const names = (await readdir(place, { encoding: 'buffer' }).catch(unseenAsNull)) ?? [];
  let sum = stats.blocks * 512;
  for (const name of names) sum += await allocatedAt(inside(place, name));
  return sum;
}

export const inside = (directory: Buffer, name: Buffer): Buffer => Buffer.concat([directory, Buffer.from('/'), name]);

/** The entry of this name, if it is there. */
async function entriesOf(directory: Buffer, name: string): Promise<readonly Buffer[]> {
  const fits = new RegExp(`^${name.split(mask).map(literally).join('[^]*')}$`);
  const entries: readonly Dirent<Buffer>[] = await readdir(directory, { withFileTypes: true, encoding: 'buffer' });
  return entries
    .filter((entry) => fits.test(entry.name.toString('latin1')))
    .map((entry) => inside(directory, entry.name));
}

/** With the rule that found it, or of a value that was passed. */
const mask = /\[redacted(?: [\w-]+)?\]/;
const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

const isDirectory = async (place: Buffer): Promise<boolean> =>
  (await lstat(place).catch(absentAsNull))?.isDirectory() === true;

const unseenAsNull = (error: NodeJS.ErrnoException): null =>
  ['EACCES', 'ENAMETOOLONG'].includes(error.code ?? '') ? null : absentAsNull(error);
