import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommitId } from '../../../domain/base/ids.ts';
import { type GitOutput, git, gitLine, objectId, runGit } from '../process/index.ts';
import { splitNul } from '../read/index.ts';

export type IndexEntry = { readonly mode: string; readonly id: string; readonly skipped: boolean };

/** Lists tracked paths that differ from HEAD in index or working tree, or that git is set to overlook. */
export async function dirtyPaths(person: Person): Promise<readonly string[]> {
  const options = ['--porcelain=v1', '-z', '--no-renames', '--untracked-files=no', '--ignore-submodules=all'];
  const status = splitNul(await git({ ...person, args: ['status', ...options] })).map((line) => line.slice(3));
  const flagged = splitNul(await git({ ...person, args: ['ls-files', '-z', '-v'] }));
  const overlooked = flagged.filter((line) => /^[a-z]/.test(line)).map((line) => line.slice(2));
  return [...status, ...overlooked];
}

/** The index as it is; null for a path with unmerged entries. */
export async function readIndex(person: Person): Promise<ReadonlyMap<string, IndexEntry | null>> {
  const lines = splitNul(await git({ ...person, args: ['ls-files', '-z', '-s', '-t'] }));
  const entries = new Map<string, IndexEntry | null>();
  for (const line of lines) {
    const tab = line.indexOf('\t');
    const [tag, mode = '', id = '', stage] = line.slice(0, tab).split(' ');
    entries.set(line.slice(tab + 1), stage === '0' ? { mode, id, skipped: tag === 'S' } : null);
  }
  return entries;
}

/** Moves index and working tree; local changes elsewhere are kept. Git looks at everything before it touches anything. */
export async function switchTree(person: Person, from: CommitId, to: CommitId): Promise<GitOutput> {
  await runGit({ ...person, args: ['update-index', '-q', '--refresh'] });
  return await runGit({ ...person, args: ['read-tree', '-m', '-u', objectId(from), objectId(to)] });
}

/** Writes these paths into the working tree as the index has them, whatever is there. */
export async function restoreFromIndex(person: Person, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const stdin = `${paths.join('\0')}\0`;
  await git({ ...person, stdin, args: ['checkout-index', '-f', '-u', '-q', '-z', '--stdin'] });
}

/** Ids that these regular files would have if they were added, filters and all. */
export async function hashFiles(person: Person, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const stdin = `${paths.join('\n')}\n`;
  const out = await git({ ...person, stdin, args: ['hash-object', '--stdin-paths'] });
  return out.toString('utf8').trimEnd().split('\n');
}

export async function hashBytes(person: Person, bytes: string): Promise<string> {
  return (await git({ ...person, stdin: bytes, args: ['hash-object', '--stdin', '--no-filters'] })).toString().trim();
}

/** One working tree of the person's repository. `inProgress` names a merge, rebase … that is not finished there. */
export type Worktree = {
  readonly path: string;
  readonly gitDir: string;
  readonly branch: string | null;
  readonly missing: boolean;
  readonly inProgress: string | null;
};

/** All working trees but bare ones. A branch that is being rebased counts as checked out where that happens. */
export async function listWorktrees(person: Person): Promise<readonly Worktree[]> {
  const listing = await git({ ...person, args: ['worktree', 'list', '--porcelain', '-z'] });
  const blocks = listing
    .toString('utf8')
    .split('\0\0')
    .filter((block) => block !== '');
  const worktrees: Worktree[] = [];
  for (const block of blocks) {
    const fields = block.split('\0');
    const field = (name: string) => fields.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
    const path = field('worktree');
    if (path === undefined || fields.includes('bare')) continue;
    const missing = !existsSync(join(path, '.git'));
    const gitDir = missing ? '' : await gitLine({ ...person, cwd: path, args: ['rev-parse', '--absolute-git-dir'] });
    const branch = field('branch') ?? (missing ? null : rebasing(gitDir));
    worktrees.push({ path, gitDir, branch, missing, inProgress: missing ? null : operationIn(gitDir) });
  }
  return worktrees;
}

function rebasing(gitDir: string): string | null {
  const file = ['rebase-merge/head-name', 'rebase-apply/head-name'].map((name) => join(gitDir, name)).find(existsSync);
  return file === undefined ? null : readFileSync(file, 'utf8').trim();
}

function operationIn(gitDir: string): string | null {
  const [, operation] = Object.entries(operations).find(([mark]) => existsSync(join(gitDir, mark))) ?? [];
  return operation ?? null;
}

const operations = {
  MERGE_HEAD: 'merge',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
  sequencer: 'cherry-pick or revert',
};

/** The options of git in the person's own repository: hardened, but with their configuration for the files that it writes. */
export type Person = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly config: readonly string[];
};

/**
 * The person's global configuration and attributes count here, because they decide which bytes a file has in their
 * working tree (line ends, LFS). Hooks and monitors stay off.
 */
export async function openPerson(checkout: string, env: Readonly<Record<string, string>>): Promise<Person> {
  const own = { ...env, GIT_ATTR_NOSYSTEM: '0' };
  const args = ['config', '--global', '--includes', '--type=path', '--get', 'core.attributesFile'];
  const settings = await runGit({ cwd: checkout, env: own, args });
  const home = env['XDG_CONFIG_HOME'] ?? `${env['HOME'] ?? ''}/.config`;
  const attributes = settings.exitCode === 0 ? settings.stdout.toString('utf8').trim() : `${home}/git/attributes`;
  return {
    cwd: checkout,
    env: own,
    config: [`core.attributesFile=${attributes}`, 'core.untrackedCache=keep', ...durable],
  };
}

/** Git does not sync refs by itself; a ref that the ledger calls moved must survive a power cut. */
export const durable: readonly string[] = ['core.fsync=all', 'core.fsyncMethod=fsync'];
