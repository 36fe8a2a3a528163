import { git, objectId, openObjects } from '../process/index.ts';

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
 * Whether git-lfs would keep these bytes as they are. Also a pointer with extension lines, whose content only a program
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
