import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
import { git, objectId, openObjects } from '../git/process/index.ts';
import {
  findCheckout,
  findSubmodules,
  gitlinksIn,
  listTree,
  moduleHolders,
  type Submodule,
  type TreeEntry,
} from '../git/read/index.ts';
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

/** The fresh files are the blobs byte for byte, so usually no git process is needed. */
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

/** The files of submodules that were written, by their path in the workspace. */
type ModuleFiles = readonly TreeEntry[];

/**
 * Writes the contents of submodules into a fresh workspace, byte-exact, at the commits that its gitlinks name. They are taken from
 * the objects of the modules that the person has initialised; those that they have not stay empty directories. No repository is left
 * in them, so that nothing an agent does there is more than a file.
 */
export async function fillSubmodules(request: {
  readonly repository: string;
  readonly directory: string;
  readonly checkout: string;
  readonly tree: readonly TreeEntry[];
  /** A place of ours for a moment, outside of the workspace. */
  readonly scratch: string;
}): Promise<ModuleFiles> {
  if (gitlinksIn(request.tree).length === 0) return [];
  const holders = moduleHolders(await findCheckout(request.checkout));
  const modules = await findSubmodules(request.repository, request.tree, holders);
  return await writeModules(modules, { ...request, above: '' });
}

async function writeModules(
  modules: readonly Submodule[],
  to: { readonly directory: string; readonly scratch: string; readonly above: string },
): Promise<ModuleFiles> {
  const written: TreeEntry[] = [];
  for (const { path, commit, source } of modules) {
    if (source === null) continue;
    const place = `${to.above}${path}`;
    await writeTree(`${to.directory}/${place}`, { commit, objects: `${source.gitDir}/objects`, scratch: to.scratch });
    const files = source.tree.filter((entry) => entry.mode !== '160000');
    written.push(...files.map((entry) => ({ ...entry, path: `${place}/${entry.path}` })));
    written.push(...(await writeModules(source.inner, { ...to, above: `${place}/` })));
  }
  return written;
}

async function writeTree(
  directory: string,
  from: { readonly commit: CommitId; readonly objects: string; readonly scratch: string },
): Promise<void> {
  const { scratch, commit } = from;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  writeGitDir(scratch, from.objects, commit);
  await git({ gitDir: scratch, workTree: directory, args: ['read-tree', '--reset', '-u', commit] });
  rmSync(scratch, { recursive: true });
}

/**
 * A repository on branch `work` that borrows its objects: the same as `clone --shared --no-checkout` without remote, without the refs
 * of other tasks. Files are checked out byte-exact. Few files: no process is needed. `cut`: commits whose parents are not there.
 */
export function writeGitDir(gitDir: string, objects: string, commit: CommitId, cut: readonly string[] = []): void {
  for (const folder of ['info', 'objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
    mkdirSync(`${gitDir}/${folder}`, { recursive: true });
  writeFileSync(`${gitDir}/HEAD`, 'ref: refs/heads/work\n');
  writeFileSync(`${gitDir}/config`, objectId(commit).length === 64 ? `${config(1)}${sha256}` : config(0));
  writeFileSync(`${gitDir}/objects/info/alternates`, `${objects}\n`);
  writeFileSync(`${gitDir}/info/attributes`, '* -text -ident -filter -working-tree-encoding !eol\n');
  writeFileSync(`${gitDir}/refs/heads/work`, `${commit}\n`);
  if (cut.length > 0) writeFileSync(`${gitDir}/shallow`, `${cut.join('\n')}\n`);
}

/** An agent may commit for its own use; without a name git would refuse. */
const config = (version: 0 | 1): string =>
  [
    `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n`,
    '[user]\n\tname = Tidegate agent\n\temail = agent@localhost\n',
    '[gc]\n\tauto = 0\n[advice]\n\tdetachedHead = false\n',
  ].join('');
const sha256 = '[extensions]\n\tobjectformat = sha256\n';
