import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import { describeFinding } from '../../domain/explain/explain.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { pointerLimit } from '../git/lfs/index.ts';
import type { WalkedFile } from './walk.ts';

/** No snapshot of this workspace is possible. */
export class SnapshotRefused extends Error {
  readonly finding: Finding;
  constructor(finding: Finding) {
    super(describeFinding(finding));
    this.finding = finding;
  }
}

/** The workspace changed during the snapshot: something still writes to it. */
export class WorkspaceMoved extends SnapshotRefused {
  override readonly name = 'WorkspaceMoved';
  constructor(path: string) {
    super({ rule: 'workspace-moved', where: path });
  }
}

const chunkSize = 1 << 20;

/**
 * The bytes that git would keep of a file or link, in chunks. Opens without following, without waiting on a FIFO, and
 * only what the walk saw; throws `WorkspaceMoved` when that has changed. Each chunk is valid until the next is asked for.
 */
export function* contentOf(root: string, { path, stats }: WalkedFile): Generator<Buffer> {
  if (stats.isSymbolicLink()) {
    yield readlinkSync(`${root}/${path}`, 'buffer');
    return;
  }
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
  const file = openSync(`${root}/${path}`, flags);
  try {
    const opened = fstatSync(file, { bigint: true });
    const same = opened.isFile() && opened.ino === stats.ino && opened.dev === stats.dev && opened.size === stats.size;
    if (!same || !isWithin(file, `${root}/${path}`)) throw new WorkspaceMoved(path);
    const buffer = Buffer.allocUnsafe(Math.min(chunkSize, Number(stats.size) + 1));
    let rest = Number(stats.size);
    for (;;) {
      const got = readSync(file, buffer, 0, buffer.length, null);
      rest -= got;
      if (rest < 0 || (got === 0 && rest > 0)) throw new WorkspaceMoved(path);
      if (got === 0) return;
      yield buffer.subarray(0, got);
    }
  } finally {
    closeSync(file);
  }
}

/** The result of reading a file or link once. */
export type FileContent = {
  /** The object id that git gives this content. */
  readonly id: string;
  readonly size: number;
  /** SHA-256 of the content, and its beginning; both empty unless they were asked for. */
  readonly oid: string;
  readonly start: Buffer;
};

export function seeContent(root: string, file: WalkedFile, format: 'sha1' | 'sha256', forLfs: boolean): FileContent {
  const size = sizeOf(root, file);
  const hash = blobHash(size, format);
  const sha256 = forLfs ? createHash('sha256') : null;
  let start: Buffer = Buffer.alloc(0);
  for (const chunk of contentOf(root, file)) {
    hash.update(chunk);
    sha256?.update(chunk);
    if (forLfs && start.length < pointerLimit)
      start = Buffer.concat([start, chunk.subarray(0, pointerLimit - start.length)]);
  }
  return { id: hash.digest('hex'), size, oid: sha256?.digest('hex') ?? '', start };
}

export const blobHash = (size: number, format: 'sha1' | 'sha256'): Hash => createHash(format).update(`blob ${size}\0`);

/** lstat may say 0 for the length of a link on some file systems, so links are measured. */
export const sizeOf = (root: string, { path, stats }: WalkedFile): number =>
  stats.isSymbolicLink() ? readlinkSync(`${root}/${path}`, 'buffer').length : Number(stats.size);

/** No directory on the way was swapped for a link: the kernel names the open file as we did. Linux only. */
const isWithin = (file: number, path: string): boolean =>
  process.platform !== 'linux' || readlinkSync(`/proc/self/fd/${file}`) === path;
