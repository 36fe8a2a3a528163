import { chmodSync, lstatSync, readFileSync, renameSync, rmSync } from 'node:fs';
import type { CommitId } from '../../domain/base/ids.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import {
  findObject,
  type LfsRules,
  lfsRules,
  missingObjects,
  objectChunks,
  type Pointer,
  parsePointer,
  pointerLimit,
  pour,
} from '../git/lfs/index.ts';
import { git, openObjects } from '../git/process/index.ts';
import { listTree, type TreeEntry } from '../git/read/index.ts';
import type { LfsSources } from './index.ts';

type Fresh = {
  readonly repository: string;
  /** Checked out a moment ago, and nobody else's yet. */
  readonly directory: string;
  readonly commit: CommitId;
  readonly tree: readonly TreeEntry[];
  readonly lfs: LfsSources;
};

/**
 * Puts content in the place of LFS pointers. A pointer whose object is nowhere, or is damaged, stays what it is, and the
 * finding counts them. A repository without LFS costs a look at its `.gitattributes`.
 */
export async function fillPointers(fresh: Fresh): Promise<readonly Finding[]> {
  const rules = await rulesFor(fresh);
  if (rules === null) return [];
  const regular = fresh.tree.filter(({ mode }) => mode.startsWith('100')).map(({ path }) => path);
  const pointers = [...(await rules(regular))].flatMap((path) => {
    const pointer = pointerAt(`${fresh.directory}/${path}`);
    return pointer === null ? [] : [{ path, pointer }];
  });
  if (pointers.length === 0) return [];
  const stores = await fresh.lfs.stores();
  const filled: string[] = [];
  for (const { path, pointer } of pointers) if (await fill(fresh.directory, path, pointer, stores)) filled.push(path);
  await overlook(fresh.directory, filled);
  const missing = pointers.length - filled.length;
  return missing === 0 ? [] : [missingObjects(missing, pointers.length)];
}

/** The fresh files are the blobs byte for byte, so that usually no git has to be asked for them. */
async function rulesFor({ repository, directory, commit, tree, lfs }: Fresh): Promise<LfsRules | null> {
  if (lfs.attributes === commit)
    return await lfsRules(repository, tree, async ({ path }) => readFileSync(`${directory}/${path}`));
  await using objects = openObjects(repository);
  return await lfsRules(repository, await listTree(repository, lfs.attributes), ({ id }) => objects.read(id));
}

function pointerAt(path: string): Pointer | null {
  return lstatSync(path).size <= pointerLimit ? parsePointer(readFileSync(path)) : null;
}

async function fill(directory: string, path: string, pointer: Pointer, stores: readonly string[]): Promise<boolean> {
  const object = findObject(stores, pointer);
  if (object === null) return false;
  const place = `${directory}/${path}`;
  const temporary = `${directory}.lfs`;
  rmSync(temporary, { force: true });
  if (!(await pour(objectChunks(object), temporary, pointer, { mode: 0o600, flush: false }))) {
    rmSync(temporary);
    return false;
  }
  chmodSync(temporary, lstatSync(place).mode & 0o777);
  renameSync(temporary, place);
  return true;
}

/** Without the filter git would call every one of these files modified; an agent's `git status` should not. */
async function overlook(directory: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  await git({
    gitDir: `${directory}/.git`,
    workTree: directory,
    stdin: paths.map((path) => `${path}\0`).join(''),
    args: ['update-index', '--assume-unchanged', '-z', '--stdin'],
  });
}
