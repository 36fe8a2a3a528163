import { existsSync } from 'node:fs';
import { type CommitId, commitId } from '../../../domain/base/ids.ts';
import { objectId, runGit } from '../process/index.ts';
import { parseTree, splitNul, type TreeEntry } from './tree.ts';

/** A submodule of a commit, and where the person has it. */
export type Submodule = {
  readonly path: string;
  readonly commit: CommitId;
  /** Null: the person has not initialised it, or has another commit of it only. */
  readonly source: ModuleSource | null;
};

/** A git directory of the person that holds a submodule, and what its commit is made of. */
type ModuleSource = {
  readonly gitDir: string;
  readonly tree: readonly TreeEntry[];
  /** Submodules of the submodule. */
  readonly inner: readonly Submodule[];
};

export const gitlinksIn = (tree: readonly TreeEntry[]): readonly TreeEntry[] =>
  tree.filter((entry) => entry.mode === '160000');

/**
 * The submodules of a tree in `gitDir`, all levels, as the person's repository has them: below `modules/` of one of `holders`.
 * Nothing is fetched, and no configuration of a submodule counts.
 */
export async function findSubmodules(
  gitDir: string,
  tree: readonly TreeEntry[],
  holders: readonly string[],
  depth = 0,
): Promise<readonly Submodule[]> {
  const links = gitlinksIn(tree);
  if (links.length === 0) return [];
  const names = depth > deepest ? new Map<string, string>() : await namesByPath(gitDir, tree);
  const modules: Submodule[] = [];
  for (const { path, id } of links) {
    const name = names.get(path);
    const places = name === undefined ? [] : holders.map((holder) => `${holder}/modules/${name}`);
    modules.push({ path, commit: commitId(id), source: await sourceOf(places, commitId(id), depth) });
  }
  return modules;
}

/** The directories that may hold `modules/`: of this working tree, and of the whole repository. */
export const moduleHolders = (checkout: { readonly gitDir: string; readonly commonDir: string }): readonly string[] => [
  ...new Set([checkout.gitDir, checkout.commonDir]),
];

/** Paths of those that the person does not have, inner ones by their whole path. */
export const missingSubmodules = (modules: readonly Submodule[], above = ''): readonly string[] =>
  modules.flatMap(({ path, source }) =>
    source === null ? [`${above}${path}`] : missingSubmodules(source.inner, `${above}${path}/`),
  );

const deepest = 10;

async function sourceOf(places: readonly string[], commit: CommitId, depth: number): Promise<ModuleSource | null> {
  for (const gitDir of places) {
    if (!existsSync(`${gitDir}/objects`)) continue;
    const listing = await runGit({
      ...inModule(gitDir),
      args: ['ls-tree', '-r', '-z', '--full-tree', objectId(commit)],
    });
    if (listing.exitCode !== 0) continue;
    const tree = parseTree(listing.stdout);
    return { gitDir, tree, inner: await findSubmodules(gitDir, tree, [gitDir], depth + 1) };
  }
  return null;
}

/** The names that `.gitmodules` of the commit gives, by path. A name that would lead elsewhere counts for nothing. */
async function namesByPath(gitDir: string, tree: readonly TreeEntry[]): Promise<ReadonlyMap<string, string>> {
  const file = tree.find((entry) => entry.path === '.gitmodules' && entry.mode.startsWith('100'));
  if (file === undefined) return new Map();
  const args = ['config', '--blob', objectId(file.id), '-z', '--get-regexp', '^submodule\\..*\\.path$'];
  const { exitCode, stdout } = await runGit({ ...inModule(gitDir), args });
  if (exitCode !== 0) return new Map();
  const pairs = splitNul(stdout).map((record): [string, string] => {
    const end = record.indexOf('\n');
    return [record.slice(end + 1), record.slice('submodule.'.length, end - '.path'.length)];
  });
  return new Map(pairs.filter(([, name]) => isPlainName(name)));
}

const isPlainName = (name: string): boolean =>
  name !== '' && !name.split('/').some((step) => step === '' || step === '.' || step === '..');

/** A git directory below `modules` names its own working tree; another one keeps git from looking for that. */
const inModule = (gitDir: string) => ({ gitDir, workTree: '/' });

/** True when a path is a submodule, or lies in one. */
export const insideAny = (links: readonly string[], path: string): string | undefined =>
  links.find((link) => path === link || path.startsWith(`${link}/`));
