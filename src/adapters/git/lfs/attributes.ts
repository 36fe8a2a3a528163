import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommitId, commitId } from '../../../domain/base/ids.ts';
import type { Finding } from '../../../domain/findings/finding.ts';
import { git, gitLine, objectId, openObjects } from '../process/index.ts';
import { findCheckout, listTree, splitNul, type TreeEntry } from '../read/index.ts';
import { findObject, personsStore } from './store.ts';

/** Returns the paths that a commit's attributes give to git LFS, in the commit or not. */
export type LfsRules = (paths: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * The rules of a tree's own `.gitattributes`, or null when none of them speaks of LFS, which costs no process. Git judges
 * them, over an index that holds nothing else: no working tree takes part.
 */
export async function lfsRules(
  gitDir: string,
  tree: readonly TreeEntry[],
  read: (entry: TreeEntry) => Promise<Buffer | null>,
): Promise<LfsRules | null> {
  const files = tree.filter(({ path, mode }) => /(?:^|\/)\.gitattributes$/.test(path) && mode.startsWith('100'));
  const texts = await Promise.all(files.map(read));
  return texts.some((text) => text?.includes('filter=lfs')) ? (paths) => ask(gitDir, files, paths) : null;
}

/** Those of `paths` that the attributes of a commit give to LFS. */
export async function lfsPaths(
  gitDir: string,
  commit: CommitId,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  await using objects = openObjects(gitDir);
  const rules = await lfsRules(gitDir, await listTree(gitDir, commit), ({ id }) => objects.read(id));
  return (await rules?.(paths)) ?? new Set();
}

async function ask(
  gitDir: string,
  attributes: readonly TreeEntry[],
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const scratch = mkdtempSync(join(tmpdir(), 'tidegate-attributes-'));
  const call = { gitDir, env: { GIT_INDEX_FILE: join(scratch, 'index') }, config: ['core.fsync=none'] };
  try {
    const entries = attributes.map(({ mode, id, path }) => `${mode} ${id} 0\t${path}\0`).join('');
    await git({ ...call, stdin: entries, args: ['update-index', '-z', '--index-info'] });
    const stdin = paths.map((path) => `${path}\0`).join('');
    const fields = splitNul(await git({ ...call, stdin, args: ['check-attr', '--cached', '-z', '--stdin', 'filter'] }));
    return new Set(paths.filter((_, at) => fields[at * 3 + 2] === 'lfs'));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Reports LFS objects of HEAD that the person's repository lacks: workspaces would be made without them. */
export async function inspectLfs(
  checkout: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly Finding[]> {
  const { gitDir } = await findCheckout(checkout);
  const head = commitId(await gitLine({ gitDir, args: ['rev-parse', '--verify', 'HEAD^{commit}'] }));
  const pointers = await readPointers(gitDir, await lfsBlobs(gitDir, head));
  if (pointers.size === 0) return [];
  const store = await personsStore(checkout, environment);
  const missing = [...pointers.values()].filter((pointer) => findObject([store], pointer) === null).length;
  return missing === 0 ? [] : [missingObjects(missing, pointers.size)];
}

export const missingObjects = (missing: number, all: number): Finding => ({
  rule: 'lfs-missing',
  missing,
  all,
});

async function lfsBlobs(gitDir: string, commit: CommitId): Promise<readonly string[]> {
  const tree = await listTree(gitDir, commit);
  await using objects = openObjects(gitDir);
  const rules = await lfsRules(gitDir, tree, ({ id }) => objects.read(id));
  const regular = tree.filter(({ mode }) => mode.startsWith('100'));
  const kept = (await rules?.(regular.map(({ path }) => path))) ?? new Set();
  return regular.filter(({ path }) => kept.has(path)).map(({ id }) => id);
}

/** The content of a git LFS pointer: SHA-256 and length of the file that it replaces. */
export type Pointer = { readonly oid: string; readonly size: number };

/** git-lfs takes nothing longer for a pointer. */
export const pointerLimit = 1024;

const versions: ReadonlySet<string> = new Set([
  'https://git-lfs.github.com/spec/v1',
  'https://hawser.github.com/spec/v1',
  'http://git-media.io/v/2',
]);

/** Null when git-lfs would not take these bytes for a pointer. Line ends and space around it may be any, as for git-lfs. */
export function parsePointer(bytes: Buffer): Pointer | null {
  const lines = linesOf(bytes);
  if (lines === null || lines.some(isExtension)) return null;
  return pointerIn(lines);
}

/**
 * True when git-lfs would keep these bytes as they are. So is a pointer with extension lines, whose content only a program
 * of the person's could restore, so that it replaces nothing here.
 */
export function isPointer(bytes: Buffer): boolean {
  const lines = linesOf(bytes);
  return lines !== null && pointerIn(lines.filter((line) => !isExtension(line))) !== null;
}

/** The pointer that git-lfs itself writes for this content. */
export const pointerText = ({ oid, size }: Pointer): Buffer =>
  Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`);

function linesOf(bytes: Buffer): readonly string[] | null {
  return bytes.length > pointerLimit ? null : bytes.toString('latin1').trim().split(/\r?\n/);
}

const isExtension = (line: string): boolean => /^ext-[0-9]-[^ ]+ sha256:[0-9a-f]{64}$/.test(line);

function pointerIn([version = '', oid = '', size = '', ...more]: readonly string[]): Pointer | null {
  const hash = /^oid sha256:([0-9a-f]{64})$/.exec(oid)?.[1];
  const length = /^size ([0-9]{1,15})$/.exec(size)?.[1];
  if (hash === undefined || length === undefined || more.length > 0) return null;
  const isKnown = version.startsWith('version ') && versions.has(version.slice('version '.length));
  return isKnown ? { oid: hash, size: Number(length) } : null;
}

/** Object id → pointer, for those of these objects that are pointers. Large ones are not even read. */
export async function readPointers(gitDir: string, ids: Iterable<string>): Promise<ReadonlyMap<string, Pointer>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const sizes = await git({
    gitDir,
    stdin: unique.map((id) => `${objectId(id)}\n`).join(''),
    args: ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)'],
  });
  const small = sizes
    .toString('latin1')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, type, size]) => type === 'blob' && Number(size) > 0 && Number(size) <= pointerLimit)
    .map(([id = '']) => id);
  if (small.length === 0) return new Map();
  await using objects = openObjects(gitDir);
  const read = small.map(async (id) => [id, parsePointer((await objects.read(id)) ?? Buffer.alloc(0))] as const);
  return new Map((await Promise.all(read)).flatMap(([id, pointer]) => (pointer === null ? [] : [[id, pointer]])));
}
