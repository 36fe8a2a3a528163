import { rmSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CommitId, commitId, type TreeId } from '../../domain/ids.ts';
import { GitFailed, keepStart, launchError, objectId, refName, spawnGit, syncRef } from '../git-process/index.ts';
import { pointerText } from '../lfs/index.ts';
import type { Changes } from './changes.ts';
import { blobHash, contentOf, sizeOf, WorkspaceMoved } from './content.ts';

/**
 * Writes blobs, trees and one commit and then the ref, by one `fast-import`. All objects are on disk before the ref.
 * The same parent, changes, message and time give the same commit. If this process dies, git sees a stream without
 * its `done` and moves nothing.
 */
export async function writeCommit(request: {
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
  const call = {
    gitDir: request.repository,
    // One pack costs three flushes of the disk, loose objects one each.
    config: ['core.fsync=all', 'fastimport.unpackLimit=3'],
    tied: true,
    args: ['fast-import', '--quiet', '--done', '--force', '--date-format=raw'],
  };
  // One supervisor alone writes this ref, and its git died with it: a lock that is left belongs to no one.
  rmSync(`${request.repository}/${refName(request.ref)}.lock`, { force: true });
  const child = spawnGit(call);
  const stderr = keepStart(child);
  let out = '';
  child.stdout?.setEncoding('latin1').on('data', (chunk: string) => {
    out += chunk;
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(launchError(call, error)));
    child.once('close', (code) => (code === 0 ? resolve() : reject(new GitFailed(call.args, code, stderr()))));
  });
  // A broken pipe only says that git gave up; its exit says why. Its crash report would stay for ever.
  const [exit, fed] = await Promise.allSettled([ended, pipeline(script(request), child.stdin as Writable)]);
  if (exit.status === 'rejected') rmSync(`${request.repository}/fast_import_crash_${child.pid}`, { force: true });
  if (fed.status === 'rejected' && fed.reason instanceof WorkspaceMoved) throw fed.reason;
  if (exit.status === 'rejected') throw exit.reason;
  if (fed.status === 'rejected') throw fed.reason;
  syncRef(request.repository, request.ref);
  return commitId(objectId(out.trim()));
}

type Request = Parameters<typeof writeCommit>[0];

function* script(request: Request): Generator<string | Buffer> {
  const who = `Tidegate <tidegate@localhost> ${request.time} +0000`;
  const message = Buffer.from(request.message);
  yield `commit ${refName(request.ref)}\nmark :1\nauthor ${who}\ncommitter ${who}\ndata ${message.length}\n`;
  yield message;
  yield `\nfrom ${objectId(request.parent)}\n`;
  if (request.start !== null) yield `M 040000 ${objectId(request.start)} ""\n`;
  yield request.changes.deletes.map((path) => `D ${quoted(path)}\n`).join('');
  for (const { found, mode, id, as } of request.changes.writes) {
    if (as === 'before') {
      yield `M ${mode} ${objectId(id)} ${quoted(found.path)}\n`;
      continue;
    }
    if (as !== 'itself') {
      const text = pointerText(as);
      yield `M ${mode} inline ${quoted(found.path)}\ndata ${text.length}\n${text}\n`;
      continue;
    }
    const size = sizeOf(request.root, found);
    const hash = blobHash(size, request.format);
    yield `M ${mode} inline ${quoted(found.path)}\ndata ${size}\n`;
    for (const chunk of contentOf(request.root, found)) {
      hash.update(chunk);
      request.onContent(found.path, chunk);
      yield Buffer.from(chunk);
    }
    if (hash.digest('hex') !== id) throw new WorkspaceMoved(`${found.path} changed during the snapshot`);
    yield '\n';
  }
  yield '\nget-mark :1\ndone\n';
}

/** A path as fast-import reads it whatever is in it: bytes outside of plain ASCII are octal. */
function quoted(path: string): string {
  const bytes = [...Buffer.from(path)].map((byte) =>
    byte < 32 || byte > 126 || byte === 34 || byte === 92
      ? `\\${byte.toString(8).padStart(3, '0')}`
      : String.fromCharCode(byte),
  );
  return `"${bytes.join('')}"`;
}
