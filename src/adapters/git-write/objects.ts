import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommitId, commitId, type TreeId, treeId } from '../../domain/ids.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { GitFailed, git, gitLine, objectId, runGit } from '../git-process/index.ts';
import { splitNul } from '../git-read/index.ts';

export type Commit = {
  readonly id: CommitId;
  readonly tree: TreeId;
  readonly parents: readonly CommitId[];
  /** `<seconds> <zone>` of the committer: the clock that derived commits take over, so that their ids are repeatable. */
  readonly date: string;
  readonly message: string;
};

export type Identity = { readonly name: string; readonly email: string };

/** How a person signs: their settings and what their key program needs from the environment. */
export type Signing = { readonly config: readonly string[]; readonly env: Readonly<Record<string, string>> };

export type NewCommit = {
  readonly tree: TreeId;
  readonly parent: CommitId;
  readonly message: string;
  readonly by: Identity;
  readonly date: string;
  /** Absent: unsigned. */
  readonly signing?: Signing | undefined;
};

/** A path and what it is on both sides; mode `000000` where absent. */
export type Change = {
  readonly path: string;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
};

export async function writeCommit(gitDir: string, commit: NewCommit): Promise<CommitId> {
  const { name, email } = commit.by;
  const line = await gitLine({
    gitDir,
    args: [
      'commit-tree',
      commit.signing === undefined ? '--no-gpg-sign' : '--gpg-sign',
      '-p',
      objectId(commit.parent),
      '-F',
      '-',
      objectId(commit.tree),
    ],
    stdin: commit.message,
    config: commit.signing?.config ?? [],
    env: {
      ...commit.signing?.env,
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_AUTHOR_DATE: `@${commit.date}`,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
      GIT_COMMITTER_DATE: `@${commit.date}`,
    },
  });
  return commitId(line);
}

/** Undefined for an id that the repository does not hold as a commit. */
export async function readCommit(gitDir: string, id: CommitId): Promise<Commit | undefined> {
  const { exitCode, stdout } = await runGit({ gitDir, args: ['cat-file', 'commit', objectId(id)] });
  if (exitCode !== 0) return undefined;
  const text = stdout.toString('utf8');
  const end = text.indexOf('\n\n');
  const header = text.slice(0, end === -1 ? text.length : end).split('\n');
  const fields = (name: string) =>
    header.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  return {
    id,
    tree: treeId(fields('tree')[0] ?? ''),
    parents: fields('parent').map(commitId),
    date: fields('committer')[0]?.split(' ').slice(-2).join(' ') ?? epochStart,
    message: end === -1 ? '' : text.slice(end + 2),
  };
}

/** For a commit that must be there, because the ledger or a ref names it. */
export async function mustReadCommit(gitDir: string, id: CommitId): Promise<Commit> {
  const commit = await readCommit(gitDir, id);
  if (commit === undefined)
    throw new GitFailed(['cat-file', 'commit', id], 128, `commit ${id} is missing from ${gitDir}`);
  return commit;
}

/**
 * Three-way merge without index or working tree; on conflict the files are named and nothing is left behind.
 * The merge base is made explicit by synthetic commits, whatever history the sides really have. Renames are not
 * followed: each path is merged on its own, so a merge never changes a path that neither side changed.
 */
export async function mergeTrees(
  gitDir: string,
  sides: { readonly base: CommitId; readonly ours: TreeId; readonly theirs: TreeId },
): Promise<Result<TreeId, readonly string[]>> {
  const side = (tree: TreeId) =>
    writeCommit(gitDir, { tree, parent: sides.base, message: 'one side of a merge\n', by: nobody, date: epochStart });
  const [ours, theirs] = await Promise.all([side(sides.ours), side(sides.theirs)]);
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
  const done = await runGit({ gitDir, args, config: ['merge.renames=false', 'merge.directoryRenames=false'] });
  if (done.exitCode !== 0 && done.exitCode !== 1) throw new GitFailed(args, done.exitCode, done.stderr);
  const [tree = '', ...files] = splitNul(done.stdout);
  return done.exitCode === 0 ? ok(treeId(tree)) : err([...new Set(files)]);
}

/** Every path that differs, renames as a delete and an add. */
export async function readChanges(
  gitDir: string,
  from: CommitId | TreeId,
  to: CommitId | TreeId,
): Promise<readonly Change[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--no-ext-diff', '--no-textconv'];
  const fields = splitNul(await git({ gitDir, args: [...args, objectId(from), objectId(to)] }));
  const found: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = '', newMode = '', oldId = '', newId = ''] = (fields[at] ?? '').slice(1).split(' ');
    found.push({ path: fields[at + 1] ?? '', oldMode, newMode, oldId, newId });
  }
  return found;
}

/** `tree` with these changes taken back. */
export async function takeBack(gitDir: string, tree: TreeId, taken: readonly Change[]): Promise<TreeId> {
  if (taken.length === 0) return tree;
  const directory = await mkdtemp(join(tmpdir(), 'tidegate-index-'));
  try {
    const env = { GIT_INDEX_FILE: join(directory, 'index') };
    await git({ gitDir, env, args: ['read-tree', objectId(tree)] });
    // Removals first: a restored path may need an added one out of its way (a file that became a directory).
    const ordered = taken.toSorted((a, b) => Number(b.oldMode === absent) - Number(a.oldMode === absent));
    const stdin = ordered.map((change) => `${change.oldMode} ${change.oldId}\t${change.path}\0`).join('');
    await git({ gitDir, env, stdin, args: ['update-index', '-z', '--index-info'] });
    return treeId(await gitLine({ gitDir, env, args: ['write-tree'] }));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export const absent = '000000';
export const epochStart = '0 +0000';
/** Author of commits that people never see: bases and sides of merges. */
export const nobody: Identity = { name: 'Tidegate', email: 'tidegate@localhost' };
