import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommitId, commitId, type TreeId, treeId } from '../../../domain/base/ids.ts';
import { err, ok, type Result } from '../../../domain/base/result.ts';
import { GitFailed, git, gitLine, objectId, openObjects, runGit } from '../process/index.ts';
import { splitNul } from '../read/index.ts';
import type { Identity, Signing } from '../read/person.ts';

export type Commit = {
  readonly id: CommitId;
  readonly tree: TreeId;
  readonly parents: readonly CommitId[];
  /** `<seconds> <zone>` of the committer: the clock that derived commits take over, so that their ids are repeatable. */
  readonly date: string;
  readonly message: string;
};

type NewCommit = {
  readonly tree: TreeId;
  readonly parent: CommitId;
  /** Absent: one parent. */
  readonly other?: CommitId;
  readonly message: string;
  readonly by: Identity;
  readonly date: string;
  /** Absent: unsigned. */
  readonly signing?: Signing | undefined;
  /** False for a commit that is of no use after a crash: it is not waited for until it is on disk. */
  readonly lasting?: false;
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
      ...(commit.other === undefined ? [] : ['-p', objectId(commit.other)]),
      '-F',
      '-',
      objectId(commit.tree),
    ],
    stdin: commit.message,
    config: [...(commit.signing?.config ?? []), ...(commit.lasting === false ? ['core.fsync=none'] : [])],
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
  return exitCode === 0 ? parseCommit(id, stdout.toString('utf8')) : undefined;
}

/** Many at once, for one process. Ids that are no commit here are missing from the map. */
export async function readCommits(gitDir: string, ids: readonly CommitId[]): Promise<ReadonlyMap<CommitId, Commit>> {
  if (ids.length === 0) return new Map();
  await using objects = openObjects(gitDir);
  const commits = await Promise.all(
    ids.map(async (id) => {
      const bytes = await objects.read(id);
      return bytes === null ? [] : [[id, parseCommit(id, bytes.toString('utf8'))] as const];
    }),
  );
  return new Map(commits.flat());
}

function parseCommit(id: CommitId, text: string): Commit {
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
    throw new GitFailed(['cat-file', 'commit', id], 128, { rule: 'commit-missing', commit: id, repository: gitDir });
  return commit;
}

export type Sides = { readonly base: Commit; readonly ours: TreeId; readonly theirs: TreeId | Commit };

/**
 * Three-way merge without index or working tree; on conflict the files are named and nothing is left behind.
 * The merge base is made explicit by synthetic commits, whatever history the sides really have. A change of theirs
 * stays on its path: where git would carry it over to another one, because ours renamed the file, that is a conflict.
 */
export async function mergeTrees(gitDir: string, sides: Sides): Promise<Result<TreeId, readonly string[]>> {
  const { tree, isClean, files } = await mergeSides(gitDir, sides);
  if (!isClean) return err(files);
  const { base, ours, theirs } = sides;
  const [wanted = [], got = []] = await readManyChanges(gitDir, [
    [base.tree, typeof theirs === 'string' ? theirs : theirs.tree],
    [ours, tree],
  ]);
  const theirPaths = new Set(wanted.map((change) => change.path));
  const strayed = got.map((change) => change.path).filter((path) => !theirPaths.has(path));
  return strayed.length === 0 ? ok(tree) : err(strayed);
}

/** One side of a file that conflicts: 1 is the base, 2 ours, 3 theirs. */
export type ConflictSide = {
  readonly mode: string;
  readonly id: string;
  readonly stage: number;
  readonly path: string;
};

type MergedSides = {
  readonly tree: TreeId;
  readonly isClean: boolean;
  /** Files that conflict. */
  readonly files: readonly string[];
  readonly stages: readonly ConflictSide[];
};

/** The merge as git leaves it: text that conflicts holds both sides, between markers. */
export async function mergeSides(gitDir: string, { base, ours, theirs }: Sides): Promise<MergedSides> {
  const side = (tree: TreeId) =>
    writeCommit(gitDir, {
      tree,
      parent: base.id,
      message: 'one side of a merge\n',
      by: internalAuthor,
      date: epochStart,
      lasting: false,
    });
  const standsOnBase = typeof theirs !== 'string' && theirs.parents.length === 1 && theirs.parents[0] === base.id;
  const theirTree = typeof theirs === 'string' ? theirs : theirs.tree;
  const commits = await Promise.all([side(ours), standsOnBase ? theirs.id : side(theirTree)]);
  const args = ['merge-tree', '--write-tree', '-z', '--no-messages', ...commits];
  const done = await runGit({ gitDir, args, config: ['merge.directoryRenames=false'] });
  if (done.exitCode !== 0 && done.exitCode !== 1) throw new GitFailed(args, done.exitCode, done.stderr);
  const [first = '', ...lines] = splitNul(done.stdout);
  const stages = lines.map(parseStage);
  const files = [...new Set(stages.map(({ path }) => path))];
  return { tree: treeId(first), isClean: done.exitCode === 0, files, stages };
}

function parseStage(line: string): ConflictSide {
  const tab = line.indexOf('\t');
  const [mode = '', id = '', stage = ''] = line.slice(0, tab).split(' ');
  return { mode, id, stage: Number(stage), path: line.slice(tab + 1) };
}

export const writeBlob = (gitDir: string, text: string): Promise<string> =>
  gitLine({ gitDir, args: ['hash-object', '-w', '-t', 'blob', '--no-filters', '--stdin'], stdin: text });

/** `tree` with these changes taken back. */
export const takeBack = (gitDir: string, tree: TreeId, taken: readonly Change[]): Promise<TreeId> =>
  withEntries(
    gitDir,
    tree,
    taken.map(({ oldMode, oldId, path }) => ({ mode: oldMode, id: oldId, path })),
  );

type Entry = { readonly mode: string; readonly id: string; readonly path: string };

/** `tree` with these in it; one with mode `000000` is taken out of it. */
export async function withEntries(gitDir: string, tree: TreeId, entries: readonly Entry[]): Promise<TreeId> {
  if (entries.length === 0) return tree;
  const directory = await mkdtemp(join(tmpdir(), 'tidegate-index-'));
  try {
    const env = { GIT_INDEX_FILE: join(directory, 'index') };
    await git({ gitDir, env, args: ['read-tree', objectId(tree)] });
    // Removals first: a restored path may need an added one out of its way (a file that became a directory).
    const ordered = entries.toSorted((a, b) => Number(b.mode === absent) - Number(a.mode === absent));
    const stdin = ordered.map(({ mode, id, path }) => `${mode} ${id}\t${path}\0`).join('');
    await git({ gitDir, env, stdin, args: ['update-index', '-z', '--index-info'] });
    return treeId(await gitLine({ gitDir, env, args: ['write-tree'] }));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const epochStart = '0 +0000';
/** Author of commits that people never see: bases and sides of merges. */
export const internalAuthor: Identity = { name: 'Tidegate', email: 'tidegate@localhost' };

/** A path and what it is on both sides; mode `000000` where absent. */
export type Change = {
  readonly path: string;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
};

export const absent = '000000';

const options = ['-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--no-ext-diff', '--no-textconv'];

/** Every path that differs, renames as a delete and an add. */
export async function readChanges(
  gitDir: string,
  from: CommitId | TreeId,
  to: CommitId | TreeId,
): Promise<readonly Change[]> {
  const fields = splitNul(await git({ gitDir, args: ['diff-tree', ...options, objectId(from), objectId(to)] }));
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) changes.push(parse(fields[at] ?? '', fields[at + 1] ?? ''));
  return changes;
}

/** The same for many pairs of trees, in their order, for one process. */
export async function readManyChanges(
  gitDir: string,
  pairs: readonly (readonly [TreeId, TreeId])[],
): Promise<readonly (readonly Change[])[]> {
  const stdin = pairs.map(([from, to]) => `${objectId(from)} ${objectId(to)}\n`).join('');
  const text = (await git({ gitDir, stdin, args: ['diff-tree', '--stdin', ...options] })).toString('utf8');
  const changes: Change[][] = [];
  // A line names each pair; what differs follows it, one field that begins with a colon and one path each.
  for (let at = 0; at < text.length; ) {
    if (text[at] !== ':') {
      changes.push([]);
      at = text.indexOf('\n', at) + 1;
      continue;
    }
    const middle = text.indexOf('\0', at);
    const end = text.indexOf('\0', middle + 1);
    changes.at(-1)?.push(parse(text.slice(at, middle), text.slice(middle + 1, end)));
    at = end + 1;
  }
  if (changes.length !== pairs.length)
    throw new Error(`git compared ${changes.length} pairs instead of ${pairs.length}`);
  return changes;
}

function parse(field: string, path: string): Change {
  const [oldMode = '', newMode = '', oldId = '', newId = ''] = field.slice(1).split(' ');
  return { path, oldMode, newMode, oldId, newId };
}
