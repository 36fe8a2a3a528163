import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { objectPath, pointerText } from '../../src/adapters/git/lfs/index.ts';

const encoded = (content: string | Buffer): Buffer => Buffer.from(content);

export const pointerTo = (content: string | Buffer) => ({
  oid: createHash('sha256').update(content).digest('hex'),
  size: encoded(content).length,
});

/** The pointer that git-lfs would commit for this content. */
export const pointed = (content: string | Buffer): string => pointerText(pointerTo(content)).toString();

/** Puts content into a store, as `git lfs fetch` does, and gives back its pointer. */
export function stored(store: string, content: string | Buffer): string {
  const place = objectPath(store, pointerTo(content).oid);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, content);
  return pointed(content);
}
