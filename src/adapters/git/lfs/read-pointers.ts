import { git, objectId, openObjects } from '../process/index.ts';
import { type Pointer, parsePointer, pointerLimit } from './pointer.ts';

/** Object id → pointer, for those of these objects that are pointers. Large ones are not even read. */
export async function readPointers(gitDir: string, ids: Iterable<string>): Promise<ReadonlyMap<string, Pointer>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const sizes = await git({
    gitDir,
    stdin: wanted.map((id) => `${objectId(id)}\n`).join(''),
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
