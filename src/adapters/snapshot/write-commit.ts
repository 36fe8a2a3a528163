import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { type CommitId, commitId, type TreeId } from '../../domain/base/ids.ts';
import { keepObject, OtherContent, pointerText } from '../git/lfs/index.ts';
import { fastImport, objectId, quotedPath, refName } from '../git/process/index.ts';
import type { Changes } from './changes.ts';
import { blobHash, contentOf, sizeOf, WorkspaceMoved } from './content.ts';

/**
 * Writes blobs, trees and one commit and then the ref, by one `fast-import`, which moves nothing if this process dies.
 * The same parent, changes, message and time give the same commit.
 */
export async function writeSnapshotCommit(request: {
  readonly repository: string;
  readonly root: string;
  readonly parent: CommitId;
  /** The tree that the changes are made to, when it is not the parent's. */
  readonly start: TreeId | null;
  readonly changes: Changes;
  readonly ref: string;
  readonly message: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly format: 'sha1' | 'sha256';
  /** Sees the bytes of every file that is written. */
  readonly onContent: (path: string, chunk: Buffer) => void;
}): Promise<CommitId> {
  // One supervisor alone writes this ref, and its git died with it: a lock that is left belongs to no one.
  rmSync(`${request.repository}/${refName(request.ref)}.lock`, { force: true });
  const [id = ''] = await fastImport(request.repository, request.ref, script(request));
  return commitId(objectId(id));
}

type Request = Parameters<typeof writeSnapshotCommit>[0];

function* script(request: Request): Generator<string | Buffer> {
  const who = `Tidegate <tidegate@localhost> ${request.time} +0000`;
  const message = Buffer.from(request.message);
  yield `commit ${refName(request.ref)}\nmark :1\nauthor ${who}\ncommitter ${who}\ndata ${message.length}\n`;
  yield message;
  yield `\nfrom ${objectId(request.parent)}\n`;
  if (request.start !== null) yield `M 040000 ${objectId(request.start)} ""\n`;
  yield request.changes.deletes.map((path) => `D ${quotedPath(path)}\n`).join('');
  for (const { file, mode, id, as } of request.changes.writes) {
    if (as === 'before') {
      yield `M ${mode} ${objectId(id)} ${quotedPath(file.path)}\n`;
      continue;
    }
    if (as !== 'itself') {
      const text = pointerText(as);
      yield `M ${mode} inline ${quotedPath(file.path)}\ndata ${text.length}\n${text}\n`;
      continue;
    }
    const size = sizeOf(request.root, file);
    const hash = blobHash(size, request.format);
    yield `M ${mode} inline ${quotedPath(file.path)}\ndata ${size}\n`;
    for (const chunk of contentOf(request.root, file)) {
      hash.update(chunk);
      request.onContent(file.path, chunk);
      yield Buffer.from(chunk);
    }
    if (hash.digest('hex') !== id) throw new WorkspaceMoved(file.path);
    yield '\n';
  }
  yield '\nget-mark :1\n';
}

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
  for (const { file, as } of of.changes.writes) {
    if (as === 'itself' || as === 'before') continue;
    const chunks = watched(contentOf(of.root, file), (chunk) => of.onContent(file.path, chunk));
    await keepObject(store, as, { chunks, scratch: basename(of.ref) }).catch((error: unknown) => {
      throw error instanceof OtherContent ? new WorkspaceMoved(file.path) : error;
    });
  }
}

function* watched(chunks: Iterable<Buffer>, onChunk: (chunk: Buffer) => void): Generator<Buffer> {
  for (const chunk of chunks) {
    onChunk(chunk);
    yield chunk;
  }
}
