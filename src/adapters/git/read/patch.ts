import { type AttemptId, type CommitId, commitId, taskId } from '../../../domain/base/ids.ts';
import { refFolder, refs } from '../../../domain/ledger/state-dir.ts';
import type { KeptSnapshot, LineCount } from '../../../ports/repository-handle.ts';
import { git, objectId, runGit } from '../process/index.ts';
import { splitNul } from './tree.ts';

/** A unified diff of two commits by git's own trees alone: no driver, filter, external program or working tree. */
export async function readPatch(
  gitDir: string,
  from: CommitId,
  to: CommitId,
  paths: readonly string[],
): Promise<string> {
  const args = [
    '--literal-pathspecs',
    'diff-tree',
    '-r',
    '-p',
    '--no-color',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
  ];
  const out = await git({
    gitDir,
    args: [...args, objectId(from), objectId(to), '--', ...paths],
    maxOutput: 64 << 20,
  });
  return out.toString('utf8');
}

/** Counts the lines that each file gained and lost. Null when the repository no longer has both commits. */
export async function readLineCounts(
  gitDir: string,
  from: CommitId,
  to: CommitId,
): Promise<readonly LineCount[] | null> {
  const args = ['diff-tree', '-r', '-z', '--numstat', '--no-renames', '--no-ext-diff', '--no-textconv'];
  const done = await runGit({ gitDir, args: [...args, objectId(from), objectId(to)], maxOutput: 64 << 20 });
  if (done.exitCode !== 0) return null;
  return splitNul(done.stdout).flatMap((record) => {
    const [added = '', removed = '', ...path] = record.split('\t');
    return path.length === 0 ? [] : [{ path: path.join('\t'), added: counted(added), removed: counted(removed) }];
  });
}

const counted = (text: string): number | null => (text === '-' ? null : Number(text));

/** Lists every snapshot of a run: those of its attempts, those that people made of them, and its branch. */
export async function keptSnapshots(gitDir: string, run: string): Promise<readonly KeptSnapshot[]> {
  const own = [refs.runBranch(run), ...(['dropped', 'edits'] as const).map((folder) => `${refFolder(folder)}/${run}/`)];
  const shared = (['attempts', 'landing-edits'] as const).map((folder) => `${refFolder(folder)}/`);
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', ...shared, ...own];
  const lines = (await git({ gitDir, args })).toString('utf8').split('\n');
  return lines.flatMap((line) => {
    const [id = '', ref = ''] = line.split(' ');
    const kept = keptBy(run, ref);
    return kept === null ? [] : [{ ...kept, ref, commit: commitId(id) }];
  });
}

/** Reads from its name which snapshot of the run a ref keeps; null for the refs of other runs. */
function keptBy(run: string, ref: string): Kept | null {
  const [, , folder = '', ...rest] = ref.split('/');
  const name = rest.at(-1) ?? '';
  const [first = '', second = '', third] = name.split('.');
  switch (folder) {
    case 'attempts':
      return first === run ? { kind: 'attempt', task: taskId(second), attempt: name as AttemptId } : null;
    case 'dropped':
    case 'edits':
      return { kind: folder === 'edits' ? 'edited' : 'dropped', task: taskId(first), number: Number(second) };
    case 'landing-edits':
      // the same files are kept once more, as the commit that lands
      return first === run && third === undefined
        ? { kind: 'edited-landing', task: null, number: Number(second) }
        : null;
    case 'runs':
      return { kind: 'merged', task: null };
    default:
      return null;
  }
}

type Kept = KeptSnapshot extends infer One ? (One extends KeptSnapshot ? Omit<One, 'ref' | 'commit'> : never) : never;

type LoggedCommit = {
  readonly commit: CommitId;
  readonly title: string;
  /** The run by its trailers; null when it has none. */
  readonly run: string | null;
  readonly task: string | null;
};

/** Commits that `to` has and `from` has not, newest first. */
export async function readLog(gitDir: string, from: CommitId, to: CommitId): Promise<readonly LoggedCommit[]> {
  const trailer = (key: string): string => `%(trailers:key=${key},valueonly,separator=%x2C)`;
  const format = `%H%x1f%s%x1f${trailer('Tidegate-Run')}%x1f${trailer('Tidegate-Task')}`;
  const out = await git({ gitDir, args: ['log', '-z', `--format=${format}`, `${objectId(from)}..${objectId(to)}`] });
  return out
    .toString('utf8')
    .split('\0')
    .filter((record) => record !== '')
    .map((record) => {
      const [id = '', title = '', run = '', task = ''] = record.split('\x1f');
      return { commit: commitId(id), title, run: run || null, task: task || null };
    });
}
