import { createHash } from 'node:crypto';
import { constants, lstatSync, mkdirSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../files/durable-file.ts';
import { failpoint } from '../../process/failpoint.ts';
import type { Pointer } from './pointer.ts';

/** Where a store in git-lfs's own layout, ours or the person's, has this object. */
export const objectPath = (store: string, oid: string): string =>
  join(store, 'objects', oid.slice(0, 2), oid.slice(2, 4), oid);

/** The first of the stores that has the object, by name and length; null when none has. */
export function findObject(stores: readonly string[], { oid, size }: Pointer): string | null {
  const places = stores.map((store) => objectPath(store, oid));
  return places.find((place) => lengthOf(place) === size) ?? null;
}

/** The content to be kept is not what its pointer says. */
export class OtherContent extends Error {
  override readonly name = 'OtherContent';
}

/**
 * Keeps content in our store. When this resolves it is on disk, name and all; before that nobody can see it. Content
 * that is there already is not written again. `scratch` names a file that no other process uses meanwhile.
 */
export async function keepObject(
  store: string,
  pointer: Pointer,
  from: { readonly chunks: Iterable<Buffer> | AsyncIterable<Buffer>; readonly scratch: string },
): Promise<void> {
  const place = objectPath(store, pointer.oid);
  const temporary = join(store, 'tmp', from.scratch);
  failpoint('lfs-object-before');
  if (lengthOf(place) !== pointer.size) {
    for (const folder of [dirname(temporary), dirname(place)]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    await rm(temporary, { force: true });
    if (!(await pour(from.chunks, temporary, pointer, { mode: 0o444, flush: true }))) {
      await rm(temporary, { force: true });
      throw new OtherContent(`${pointer.oid} changed while it was kept`);
    }
    failpoint('lfs-object-written');
    await rename(temporary, place);
  }
  for (let folder = dirname(place); folder.length >= store.length; folder = dirname(folder)) syncDirectory(folder);
  failpoint('lfs-object-kept');
}

/** Writes a new file. False when the content is not what the pointer says; what was written is still there. */
export async function pour(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  to: string,
  { oid, size }: Pointer,
  how: { readonly mode: number; readonly flush: boolean },
): Promise<boolean> {
  await using file = await open(to, 'wx', how.mode);
  const hash = createHash('sha256');
  let written = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    await file.writeFile(chunk);
    written += chunk.length;
  }
  if (how.flush) await file.sync();
  return written === size && hash.digest('hex') === oid;
}

/** A file of a store, chunk by chunk. Each is valid until the next is asked for. */
export async function* objectChunks(path: string): AsyncGenerator<Buffer> {
  await using file = await open(path, constants.O_RDONLY);
  const buffer = Buffer.allocUnsafe(1 << 20);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

function lengthOf(path: string): number | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : null;
}
