import { basename } from 'node:path';
import { keepObject, OtherContent } from '../git/lfs/index.ts';
import type { Changes } from './changes.ts';
import { contentOf, WorkspaceMoved } from './content.ts';

/** Puts what the tree will only point to into our LFS store, on disk before any ref can name it. */
export async function keepContents(
  store: string,
  of: {
    readonly root: string;
    readonly changes: Changes;
    /** Of this snapshot and no other. */
    readonly ref: string;
    /** Sees the bytes of every file that is written. */
    readonly onContent: (path: string, chunk: Buffer) => void;
  },
): Promise<void> {
  for (const { found, as } of of.changes.writes) {
    if (as === 'itself' || as === 'before') continue;
    const chunks = watched(contentOf(of.root, found), (chunk) => of.onContent(found.path, chunk));
    await keepObject(store, as, { chunks, scratch: basename(of.ref) }).catch((error: unknown) => {
      throw error instanceof OtherContent ? new WorkspaceMoved(found.path) : error;
    });
  }
}

function* watched(chunks: Iterable<Buffer>, onChunk: (chunk: Buffer) => void): Generator<Buffer> {
  for (const chunk of chunks) {
    onChunk(chunk);
    yield chunk;
  }
}
