import { readdirSync, readFileSync, statSync } from 'node:fs';
import { packsOf } from './link-store.ts';

/** More are not worth it: git looks for an object in one after the other. */
export const mostLinked = 8;

/** A pack of our repository, and the objects in it. */
export type WholePack = { readonly files: readonly string[]; readonly ids: readonly string[] };

/**
 * The largest packs of an object directory in which every object is one of these: a store can have them by link, without a copy.
 * Often that is all there is: a repository with one branch that was packed.
 */
export function wholePacks(objects: string, wanted: ReadonlySet<string>): readonly WholePack[] {
  const folder = packsOf(objects);
  return readdirSync(folder)
    .filter((name) => /^pack-[0-9a-f]+\.idx$/.test(name))
    .map((name) => ({ name, bytes: statSync(`${folder}/${name}`).size }))
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, 2 * mostLinked)
    .map(({ name }) => ({
      files: [name.replace(/idx$/, 'pack'), name],
      ids: idsIn(readFileSync(`${folder}/${name}`), wanted),
    }))
    .filter(({ ids }) => ids.length > 0)
    .slice(0, mostLinked);
}

/** The ids that an index of version 2 lists, if all are wanted; else none. */
function idsIn(index: Buffer, wanted: ReadonlySet<string>): readonly string[] {
  const [first] = wanted;
  if (
    first === undefined ||
    index.length < tables ||
    index.readUInt32BE(0) !== 0xff744f63 ||
    index.readUInt32BE(4) !== 2
  )
    return [];
  const bytes = first.length / 2;
  const count = index.readUInt32BE(tables - 4);
  if (count > wanted.size) return [];
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const id = index.toString('hex', tables + at * bytes, tables + (at + 1) * bytes);
    if (!wanted.has(id)) return [];
    ids.push(id);
  }
  return ids;
}

/** Magic, version, and 256 counts: the last of them is how many there are. */
const tables = 8 + 256 * 4;
