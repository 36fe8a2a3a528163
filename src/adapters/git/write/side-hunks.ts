import type { CommitId } from '../../../domain/base/ids.ts';
import { goneHunks, hasMarkers, type SideHunk, type SidesOfFile } from '../../../domain/derived/sides.ts';
import type { ComparedSides } from '../../../domain/ledger/derived-task-events.ts';
import { git, objectId, openObjects } from '../process/index.ts';
import { listTree } from '../read/index.ts';

/** Commits whose files are compared. */
type ComparedCommits = {
  readonly base: CommitId;
  readonly ours: CommitId;
  readonly theirs: CommitId;
  readonly result: CommitId;
};

/** Compares files of a result with both sides that it was made from, line by line. Bytes are not decoded. */
export async function compareFiles(
  gitDir: string,
  commits: ComparedCommits,
  paths: readonly string[],
): Promise<ComparedSides> {
  const read = await reader(gitDir, commits);
  const compared = [];
  for (const path of paths.toSorted()) {
    const files = await read(path);
    const ours = await hunksOf(gitDir, 'ours', commits, path);
    const theirs = await hunksOf(gitDir, 'theirs', commits, path);
    compared.push({ path, isMarked: hasMarkers(files), gone: goneHunks(path, files, [...ours, ...theirs]) });
  }
  return {
    markers: compared.filter(({ isMarked }) => isMarked).map(({ path }) => path),
    gone: compared.flatMap(({ gone }) => gone),
  };
}

/** Reads one path of all sides. */
async function reader(gitDir: string, commits: ComparedCommits): Promise<(path: string) => Promise<SidesOfFile>> {
  const idsIn = async (commit: CommitId): Promise<ReadonlyMap<string, string>> =>
    new Map((await listTree(gitDir, commit)).map(({ path, id }) => [path, id]));
  const trees = {
    base: await idsIn(commits.base),
    ours: await idsIn(commits.ours),
    theirs: await idsIn(commits.theirs),
    result: await idsIn(commits.result),
  };
  return async (path) => {
    await using objects = openObjects(gitDir);
    const linesIn = async (tree: ReadonlyMap<string, string>): Promise<readonly string[]> => {
      const id = tree.get(path);
      const bytes = id === undefined ? null : await objects.read(id);
      return bytes === null ? [] : bytes.toString('latin1').replace(/\n$/, '').split('\n');
    };
    return {
      base: await linesIn(trees.base),
      ours: await linesIn(trees.ours),
      theirs: await linesIn(trees.theirs),
      result: await linesIn(trees.result),
    };
  };
}

async function hunksOf(
  gitDir: string,
  side: SideHunk['side'],
  commits: ComparedCommits,
  path: string,
): Promise<readonly SideHunk[]> {
  const args = ['diff', '--unified=0', '--text', '--no-color', '--no-renames', '--no-ext-diff', '--no-textconv'];
  const pair = [objectId(commits.base), objectId(commits[side])];
  const out = await git({ gitDir, args: ['--literal-pathspecs', ...args, ...pair, '--', path] });
  return parseHunks(side, out.toString('latin1'));
}

const hunkHead = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/;

function parseHunks(side: SideHunk['side'], diff: string): readonly SideHunk[] {
  const hunks: { side: SideHunk['side']; from: number; to: number; added: string[]; removed: string[] }[] = [];
  for (const line of diff.split('\n')) {
    const head = hunkHead.exec(line);
    const last = hunks.at(-1);
    if (head !== null) {
      const from = Number(head[1]);
      hunks.push({ side, from, to: from + Math.max(1, Number(head[2] ?? 1)) - 1, added: [], removed: [] });
    } else if (last !== undefined && line.startsWith('+')) last.added.push(line.slice(1));
    else if (last !== undefined && line.startsWith('-')) last.removed.push(line.slice(1));
  }
  return hunks;
}
