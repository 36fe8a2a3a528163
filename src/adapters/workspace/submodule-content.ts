import { mkdirSync, rmSync } from 'node:fs';
import type { CommitId } from '../../domain/base/ids.ts';
import { git } from '../git/process/index.ts';
import {
  findCheckout,
  findSubmodules,
  gitlinksIn,
  moduleHolders,
  type Submodule,
  type TreeEntry,
} from '../git/read/index.ts';
import { writeGitDir } from './git-directory.ts';

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
