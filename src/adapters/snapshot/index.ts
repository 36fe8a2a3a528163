import { lstatSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type CommitId, commitId, type TreeId, treeId } from '../../domain/base/ids.ts';
import type { SnapshotEvidence } from '../../domain/gates/evidence.ts';
import { matches, pattern } from '../../domain/scope/pattern.ts';
import type { JobEvidence } from '../../ports/supervisor.ts';
import { readRecord } from '../files/workspace-record.ts';
import { keepObject, lfsRules, OtherContent, pointerText } from '../git/lfs/index.ts';
import { fastImport, type ObjectReader, objectId, openObjects, quotedPath, refName } from '../git/process/index.ts';
import { listTree, nameLinks, rawDiff, type TreeEntry } from '../git/read/index.ts';
import { failpoint } from '../process/failpoint.ts';
import {
  blobHash,
  type Changes,
  contentOf,
  findChanges,
  lfsMapping,
  type SizeLimits,
  SnapshotRefused,
  sizeOf,
  touchedFiles,
  WorkspaceMoved,
} from './changes.ts';
import { type ProofRequest, type TakenProofs, takeProofs } from './proofs.ts';
import { nameKeys, type SecretScan, secretFindings, secretScan } from './secrets.ts';
import { changedGitlinks, judgeModules } from './submodules.ts';
import { collisions, lookAtPaths, masked, walkWorkspace } from './walk.ts';

export { SnapshotRefused };

type SnapshotRequest = {
  /** Our bare repository. */
  readonly repository: string;
  readonly workspace: string;
  /** The snapshot's only parent: the diff is taken against it, and its ignore rules say what counts as work. */
  readonly base: CommitId;
  /** The commit that the workspace was made from: the base, or an earlier snapshot on it. */
  readonly from: CommitId;
  /** Only these are looked at: everything else is as in the base. Absent: the whole workspace. */
  readonly paths?: ReadonlySet<string>;
  /** Record of `makeWorkspace`; without one every file is hashed. */
  readonly statCache?: string;
  readonly ref: string;
  readonly message: string;
  /** Exact values that must not be in a snapshot. */
  readonly secrets?: readonly string[];
  readonly limits?: SizeLimits;
  /** Without it every file is its own blob, whatever the attributes say. */
  readonly lfs?: SnapshotLfs;
  /** Deliverables and proofs of the task. Absent when it has none. */
  readonly evidence?: JobEvidence & { readonly store: string };
};

type SnapshotLfs = {
  /** Our own store, where the content of changed files goes. */
  readonly store: string;
  /** All stores that may have the content of earlier versions. Asked for only when something needs one. */
  stores(): Promise<readonly string[]>;
};

const defaultLimits: SizeLimits = { file: 100_000_000, total: 2_000_000_000, lfs: 20_000_000_000 };
/** Each is named in the ledger. With more there is no snapshot, so that the whole workspace is kept. */
const mostRefused = 1_000;

/**
 * Commits everything in a workspace that the base does not ignore, by our own walk: no git command looks at a tree that
 * an agent wrote. Call it when the process tree is dead. Idempotent: the same files give the same commit, and the ref
 * moves only when all objects are on disk. Rejects with `WorkspaceMoved` when something still writes there.
 */
export async function takeSnapshot(request: SnapshotRequest): Promise<SnapshotEvidence> {
  const { repository, base, from } = request;
  const format = objectId(from).length === 64 ? 'sha256' : 'sha1';
  const { root, inode } = placeOf(request.workspace);
  await using objects = openObjects(repository);
  const fromTree = await listTree(repository, from);
  const baseTree = base === from ? fromTree : await listTree(repository, base);
  const earlier = request.statCache === undefined ? null : readRecord(request.statCache);
  const record = earlier?.inode === inode ? earlier : null;
  const longSecrets = (request.secrets ?? []).filter((value) => value.length >= 8);
  const { paths } = request;
  const rows = paths === undefined ? (record?.modules ?? []) : [];
  const tracked = trackedIn(
    fromTree,
    baseTree,
    rows.map(([path, , id, mode]) => ({ path, id, mode })),
  );
  const walked =
    paths === undefined
      ? await walkWorkspace(root, tracked, await ignoreFiles(objects, baseTree, record?.ignores ?? []), longSecrets)
      : lookAtPaths(root, paths);
  const looked = fromTree.filter(({ path }) => paths?.has(path) !== false);
  const modules = judgeModules(root, walked, looked, { rows, included: new Map(record?.included), format });
  const { walk } = modules;
  const files = { walk, from: new Map(looked.map((entry) => [entry.path, entry])) };
  const touched = touchedFiles({
    ...files,
    cache: new Map(record?.files.map(([path, print, id]) => [path, { print, id }])),
    included: new Map(record?.included),
  });
  // The base's attributes, never the agent's: what it writes into `.gitattributes` counts from the next base on.
  const lfsPaths =
    request.lfs === undefined ? null : await lfsRules(repository, baseTree, ({ id }) => objects.read(id));
  const lfs = await lfsMapping(repository, lfsPaths, { ...files, touched, format });
  const changes = findChanges({ ...files, root, touched, lfs, format, limits: request.limits ?? defaultLimits });
  const refused = [...walk.refused, ...modules.refused, ...changes.refused];
  if (refused.length > mostRefused) throw new SnapshotRefused({ rule: 'too-many-refused', most: mostRefused });
  const evidence = await evidenceIn(request, { root, objects, baseTree, from: files.from, record, format });
  const scans = new Map<string, SecretScan>();
  const onContent = (path: string, chunk: Buffer) => scanOf(scans, path, request.secrets ?? []).push(chunk);
  failpoint('snapshot-walked');
  if (request.lfs !== undefined) await keepContents(request.lfs.store, { ...request, root, changes, onContent });
  const commit = await writeSnapshotCommit({
    repository,
    root,
    parent: base,
    start: base === from ? null : await treeOf(objects, from),
    changes,
    ref: request.ref,
    message: request.message,
    time: await timeOf(objects, base),
    format,
    onContent,
  });
  failpoint('snapshot-ref-updated');
  const [tree, raw] = await Promise.all([treeOf(objects, commit), rawDiff(repository, base, commit)]);
  const linked = (await nameLinks(repository, raw)).map((entry) =>
    entry.linkTarget === undefined ? entry : { ...entry, linkTarget: masked(entry.linkTarget, longSecrets) },
  );
  const diff = await nameKeys(linked, { objects, raw, baseTree }, (text) => masked(text, longSecrets));
  const secrets = await secretFindings({
    objects,
    raw,
    baseTree,
    scans,
    values: request.secrets ?? [],
    stores: request.lfs?.stores ?? (async () => []),
  });
  return {
    commit,
    tree,
    base,
    diff,
    refused: [...refused, ...evidence.refused, ...changedGitlinks(diff), ...collisions(diff, baseTree)],
    secrets: [...secrets, ...evidence.secrets.filter((one) => !secrets.some((other) => isDeepStrictEqual(one, other)))],
    ...madeOf(request.evidence?.deliverables ?? [], raw, baseTree),
    ...(evidence.proofs.length === 0 ? {} : { proofs: evidence.proofs }),
  };
}

type Surroundings = Pick<ProofRequest, 'root' | 'objects' | 'baseTree' | 'from' | 'format'> & {
  readonly record: ReturnType<typeof readRecord>;
};

async function evidenceIn(
  { evidence, ref, secrets = [], limits = defaultLimits }: SnapshotRequest,
  { record, ...around }: Surroundings,
): Promise<TakenProofs> {
  if (evidence === undefined || evidence.proofs.length === 0) return { proofs: [], refused: [], secrets: [] };
  const { proofs, store } = evidence;
  const known = [...(record?.files ?? []), ...(record?.included ?? [])];
  const prints = new Map(known.map(([path, print]) => [path, print]));
  return await takeProofs({ ...around, proofs, store, scratch: basename(ref), prints, secrets, limits });
}

/** The files that match a deliverable, by their blobs: a file of which only the mode changed was not made. */
function madeOf(
  deliverables: readonly string[],
  raw: readonly { readonly path: string; readonly change: string; readonly id: string }[],
  baseTree: readonly TreeEntry[],
): Pick<SnapshotEvidence, 'made'> {
  if (deliverables.length === 0) return {};
  const patterns = deliverables.map(pattern);
  const before = new Map(baseTree.map(({ path, id }) => [path, id]));
  const made = raw.filter(
    ({ path, change, id }) =>
      change !== 'deleted' && before.get(path) !== id && patterns.some((one) => matches(one, path)),
  );
  return { made: made.map(({ path, id }) => ({ path, blob: id })) };
}

/** The directory itself, never what a link in its place points to. */
function placeOf(workspace: string): { readonly root: string; readonly inode: string } {
  const root = join(realpathSync(dirname(workspace)), basename(workspace));
  const stats = lstatSync(root, { bigint: true });
  if (!stats.isDirectory()) throw new WorkspaceMoved(workspace);
  return { root, inode: String(stats.ino) };
}

/** Tracked means known to git where the agent started: never ignored, whatever a pattern says. */
function trackedIn(...trees: readonly (readonly TreeEntry[])[]) {
  const files = new Set<string>();
  const directories = new Set<string>();
  for (const tree of new Set(trees)) {
    for (const { path } of tree) {
      files.add(path);
      for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
        const directory = path.slice(0, end);
        if (directories.has(directory)) break;
        directories.add(directory);
      }
    }
  }
  return { has: (path: string) => files.has(path), hasDirectory: (path: string) => directories.has(path) };
}

/** The ignore files of the base and of its submodules, by directory. Like git itself, takes a `.gitignore` only if it is a plain file. */
async function ignoreFiles(
  objects: ObjectReader,
  tree: readonly TreeEntry[],
  ofModules: readonly (readonly [string, string])[],
): Promise<ReadonlyMap<string, string | Buffer>> {
  const files = tree.filter((entry) => /(?:^|\/)\.gitignore$/.test(entry.path) && entry.mode.startsWith('100'));
  const read = files.map(async ({ path, id }): Promise<[string, Buffer]> => {
    return [path.slice(0, -'/.gitignore'.length), (await objects.read(id)) ?? Buffer.alloc(0)];
  });
  return new Map<string, string | Buffer>([...ofModules, ...(await Promise.all(read))]);
}

/** The committer's time of the base, so that the snapshot's id depends on content alone. */
async function timeOf(objects: ObjectReader, commit: CommitId): Promise<number> {
  const text = (await objects.read(commit))?.toString('latin1') ?? '';
  return Number(/^committer .*> (\d+) [+-]\d{4}$/m.exec(text)?.[1] ?? 0);
}

async function treeOf(objects: ObjectReader, commit: CommitId): Promise<TreeId> {
  const text = (await objects.read(commit))?.toString('latin1') ?? '';
  return treeId(objectId(/^tree ([0-9a-f]+)$/m.exec(text)?.[1] ?? ''));
}

function scanOf(scans: Map<string, SecretScan>, path: string, values: readonly string[]): SecretScan {
  const scan = scans.get(path) ?? secretScan(values);
  scans.set(path, scan);
  return scan;
}

/**
 * Writes blobs, trees and one commit and then the ref, by one `fast-import`, which moves nothing if this process dies.
 * The same parent, changes, message and time give the same commit.
 */
async function writeSnapshotCommit(request: {
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
async function keepContents(
  store: string,
  of: {
    readonly root: string;
    readonly changes: Changes;
    /** A ref that belongs to this snapshot and no other. */
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
