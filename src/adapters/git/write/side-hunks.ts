import type { CommitId } from '../../../domain/base/ids.ts';
import { present } from '../../../domain/base/result.ts';
import {
  goneHunks,
  goneModes,
  hasMarkers,
  type ModesOfFile,
  type SideHunk,
  type SidesOfFile,
} from '../../../domain/derived/sides.ts';
import type { ComparedSides } from '../../../domain/ledger/derived-task-events.ts';
import { git, objectId, openObjects } from '../process/index.ts';
import { listTree, type TreeEntry } from '../read/index.ts';

/** Commits whose files are compared. */
type ComparedCommits = {
  readonly base: CommitId;
  readonly ours: CommitId;
  readonly theirs: CommitId;
  readonly result: CommitId;
};

/** Compares files of a result with both sides that it was made from: line by line, and by their modes. Bytes are not decoded. */
export async function compareFiles(
  gitDir: string,
  commits: ComparedCommits,
  paths: readonly string[],
): Promise<ComparedSides> {
  const read = await reader(gitDir, commits);
  const compared = [];
  for (const path of paths.toSorted()) {
    const { lines, modes } = await read(path);
    const ours = await hunksOf(gitDir, 'ours', commits, path);
    const theirs = await hunksOf(gitDir, 'theirs', commits, path);
    const gone = [...goneHunks(path, lines, [...ours, ...theirs]), ...goneModes(path, modes)];
    compared.push({ path, isMarked: hasMarkers(lines), gone });
  }
  return {
    markers: compared.filter(({ isMarked }) => isMarked).map(({ path }) => path),
    gone: compared.flatMap(({ gone }) => gone),
  };
}

type ComparedFile = { readonly lines: SidesOfFile; readonly modes: ModesOfFile };

/** Reads one path of all sides. */
async function reader(gitDir: string, commits: ComparedCommits): Promise<(path: string) => Promise<ComparedFile>> {
  const filesIn = async (commit: CommitId): Promise<ReadonlyMap<string, TreeEntry>> =>
    new Map((await listTree(gitDir, commit)).map((entry) => [entry.path, entry]));
  const trees = {
    base: await filesIn(commits.base),
    ours: await filesIn(commits.ours),
    theirs: await filesIn(commits.theirs),
    result: await filesIn(commits.result),
  };
  return async (path) => {
    await using objects = openObjects(gitDir);
    const linesIn = async (tree: ReadonlyMap<string, TreeEntry>): Promise<readonly string[]> => {
      const id = tree.get(path)?.id;
      const bytes = id === undefined ? null : await objects.read(id);
      return bytes === null ? [] : bytes.toString('latin1').replace(/\n$/, '').split('\n');
    };
    const lines = {
      base: await linesIn(trees.base),
      ours: await linesIn(trees.ours),
      theirs: await linesIn(trees.theirs),
      result: await linesIn(trees.result),
    };
    const modes = present({
      base: trees.base.get(path)?.mode,
      ours: trees.ours.get(path)?.mode,
      theirs: trees.theirs.get(path)?.mode,
      result: trees.result.get(path)?.mode,
    });
    return { lines, modes };
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
