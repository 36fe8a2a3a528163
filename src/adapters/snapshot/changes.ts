import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import { shownPath } from '../../domain/base/paths.ts';
import { describeFinding } from '../../domain/explain/explain.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { hasCode } from '../files/state-file.ts';
import { statPrint } from '../files/workspace-record.ts';
import { isPointer, type LfsRules, type Pointer, pointerLimit, pointerText, readPointers } from '../git/lfs/index.ts';
import type { TreeEntry } from '../git/read/index.ts';
import type { Walk, WalkedFile } from './walk.ts';

type Write = {
  readonly file: WalkedFile;
  readonly mode: string;
  readonly id: string;
  /** The entry of the tree: the file's bytes, a pointer to them, or the blob that represented them before. */
  readonly as: 'itself' | 'before' | Pointer;
};
/** The changes that turn the tree that a workspace was made from into that of the workspace. */
export type Changes = {
  readonly writes: readonly Write[];
  readonly deletes: readonly string[];
  readonly refused: readonly Finding[];
};

export type SizeLimits = {
  readonly file: number;
  readonly total: number;
  /** New bytes in all that LFS keeps; they are in no blob. */
  readonly lfs: number;
};

type Workspace = {
  readonly walk: Walk;
  /** The tree that the workspace was made from. */
  readonly from: ReadonlyMap<string, TreeEntry>;
};

/** Lists files that may have changed: only reading them can tell. */
export function touchedFiles(
  input: Workspace & {
    /** path → print and object id of the file when the workspace was made */
    readonly cache: ReadonlyMap<string, { readonly print: string; readonly id: string }>;
    /** path → print of files copied in by `.worktreeinclude`; unchanged ones are the person's, not work. */
    readonly included: ReadonlyMap<string, string>;
  },
): readonly WalkedFile[] {
  return input.walk.files.filter((file) => {
    const before = input.from.get(file.path);
    const print = statPrint(file.stats);
    if (before === undefined) return input.included.get(file.path) !== print;
    const cached = input.cache.get(file.path);
    return cached?.print !== print || cached.id !== before.id || modeOf(file) !== before.mode;
  });
}

/** Compares the walked files with the tree that the workspace was made from. */
export function findChanges(
  input: Workspace & {
    readonly root: string;
    readonly touched: readonly WalkedFile[];
    readonly lfs: LfsMapping;
    readonly format: 'sha1' | 'sha256';
    readonly limits: SizeLimits;
  },
): Changes {
  const { from, limits } = input;
  const writes: Write[] = [];
  const refused: Finding[] = [];
  const totals = { itself: 0, lfs: 0 };
  const tooLarge = (path: string, limit: 'file' | 'total' | 'lfs-total', bytes: number) =>
    refused.push({ rule: 'too-large', where: shownPath(Buffer.from(path)), limit, bytes });
  for (const file of input.touched) {
    const { path } = file;
    const before = from.get(path);
    const mode = modeOf(file);
    const size = Number(file.stats.size);
    const isLfs = mode !== '120000' && input.lfs.has(path);
    if (size > (isLfs ? limits.lfs : limits.file)) {
      tooLarge(path, 'file', isLfs ? limits.lfs : limits.file);
      continue;
    }
    const content = readable(refused, path, () => seeContent(input.root, file, input.format, isLfs));
    if (content === null) continue;
    const kept = isLfs ? input.lfs.keep(content, before) : ({ id: content.id, as: 'itself' } as const);
    if (kept.id === before?.id && mode === before.mode) continue;
    if (kept.as === 'itself') totals.itself += size;
    else if (kept.as !== 'before') totals.lfs += size;
    if (totals.itself > limits.total) tooLarge(path, 'total', limits.total);
    else if (totals.lfs > limits.lfs) tooLarge(path, 'lfs-total', limits.lfs);
    else writes.push({ file, mode, ...kept });
  }
  const present = new Set(input.walk.files.map(({ path }) => path));
  return { writes, deletes: deleted(from, present, input.walk.unseen), refused };
}

export function modeOf({ stats }: WalkedFile): string {
  if (stats.isSymbolicLink()) return '120000';
  return (stats.mode & 0o100n) === 0n ? '100644' : '100755';
}

/** Submodules, our own directory and whatever could not be looked at are never taken for deleted. */
function deleted(
  from: ReadonlyMap<string, TreeEntry>,
  present: ReadonlySet<string>,
  unseen: readonly string[],
): readonly string[] {
  const hidden = (path: string) =>
    path.startsWith('.tidegate/') || unseen.some((gone) => gone === '' || path === gone || path.startsWith(`${gone}/`));
  return [...from.values()]
    .filter((entry) => entry.mode !== '160000' && !present.has(entry.path) && !hidden(entry.path))
    .map((entry) => entry.path);
}

function readable(refused: Finding[], path: string, read: () => FileContent): FileContent | null {
  try {
    return read();
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM')) throw error;
    refused.push({ rule: 'unreadable', kind: 'file', where: shownPath(Buffer.from(path)) });
    return null;
  }
}

/** Maps a file that LFS keeps to the entry of the tree. */
type LfsMapping = {
  has(path: string): boolean;
  /** A file that is what it was gives the very blob that stood for it. */
  keep(
    seen: FileContent,
    before: TreeEntry | undefined,
  ): { readonly id: string; readonly as: 'itself' | 'before' | Pointer };
};

/** `rules` null: nothing is kept by LFS. */
export async function lfsMapping(
  repository: string,
  rules: LfsRules | null,
  of: {
    readonly touched: readonly WalkedFile[];
    readonly from: ReadonlyMap<string, TreeEntry>;
    readonly format: 'sha1' | 'sha256';
  },
): Promise<LfsMapping> {
  const paths = (await rules?.(of.touched.map(({ path }) => path))) ?? new Set<string>();
  const pointers = await readPointers(
    repository,
    [...paths].flatMap((path) => of.from.get(path)?.id ?? []),
  );
  return {
    has: (path) => paths.has(path),
    keep({ id, oid, size, start }, before) {
      if (id === before?.id) return { id, as: 'itself' };
      const pointer = before === undefined ? undefined : pointers.get(before.id);
      if (before !== undefined && pointer?.oid === oid && pointer.size === size) return { id: before.id, as: 'before' };
      // like git-lfs, which keeps an empty file and a pointer as they are
      if (size === 0 || (start.length === size && isPointer(start))) return { id, as: 'itself' };
      const text = pointerText({ oid, size });
      return { id: blobHash(text.length, of.format).update(text).digest('hex'), as: { oid, size } };
    },
  };
}

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
 * Returns the bytes that git would keep of a file or link, in chunks. Opens only the file that the walk saw, without following
 * links and without waiting on a FIFO; throws `WorkspaceMoved` when it has changed. Each chunk is valid until the next is read.
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
  /** SHA-256 of the content, and its beginning; both empty unless the caller wants them. */
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
