import type { TaskId } from '../../../domain/base/ids.ts';
import { below, resolvePath } from '../../../domain/base/paths.ts';
import { err, ok, type Result } from '../../../domain/base/result.ts';
import { leftOutTexts, mergedSnapshot } from '../../../domain/derived/left-out.ts';
import type { SnapshotEvidence } from '../../../domain/gates/evidence.ts';
import type { RunState } from '../../../domain/run/run.ts';
import type { TaskState } from '../../../domain/run/task.ts';
import type { LineCount, RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { diffstatText, type JudgedFile, judgeFiles } from '../../../view/task-view.ts';
import { diffstatOf } from '../../follow/activity.ts';
import {
  aRunOrTask,
  type Context,
  command,
  done,
  exitCodes,
  failure,
  type Outcome,
  usageError,
} from '../../frame/command.ts';
import type { DiffPrograms } from '../../frame/ports.ts';
import { resolveRun } from '../../frame/subject.ts';

export const diffCommand = command({
  name: 'diff',
  group: 'look',
  summary: 'show the changes of each task, and who owns each file',
  arguments: {
    task: { ...aRunOrTask, about: 'run, run/task or a task of the live run (default: the live run)' },
    path: { about: 'show only these files, named from here or from the top of the repository', variadic: true },
  },
  options: {
    stat: { about: 'list only the files and their owners' },
    nameOnly: { about: 'list only the paths' },
    tool: { short: 't', value: 'name', valueOptional: true, about: 'open your difftool, from git config or by name' },
    pager: { negated: true, about: 'print to the terminal without a pager' },
  },
  looks: async ({ task, ...options }, repo, context, { ports }) =>
    showDiff(repo, context, task, options, await ports.diffPrograms()),
});

type Change = {
  readonly task: TaskState;
  readonly snapshot: SnapshotEvidence;
  readonly entries: readonly JudgedFile[];
};
type DiffOptions = {
  readonly stat: boolean;
  readonly nameOnly: boolean;
  readonly pager: boolean;
  readonly tool: string | true | undefined;
  readonly path: readonly string[];
};

async function showDiff(
  repo: RepositoryHandle,
  context: Context,
  typed: string | undefined,
  options: DiffOptions,
  programs: DiffPrograms,
): Promise<Outcome> {
  const subject = await resolveRun(repo, 'diff', typed, 'newest');
  if (!subject.ok) return subject.error;
  const { run, state, task } = subject.value;
  const tasks = Object.values(state.tasks).filter(({ id }) => task === null || id === task);
  const all = tasks.flatMap((one): readonly Change[] => {
    const snapshot = mergedSnapshot(state, one);
    return snapshot === null ? [] : [{ task: one, snapshot, entries: judgeFiles(state, one, snapshot) }];
  });
  const name = task === null ? run : `${run}/${task}`;
  if (all.length === 0) return done([`${name} has no snapshot yet.`], { run, tasks: [] });
  const changed = all.flatMap(({ entries }) => entries.map(({ path }) => path));
  const named = namedChanges(options.path, { checkout: repo.checkout, cwd: context.cwd }, changed);
  if (!named.ok)
    return named.error.isOutside
      ? usageError('bad-path', `diff: ${named.error.name} is outside the repository`)
      : usageError('not-changed', `diff: ${name} did not change ${named.error.name}`);
  const changes = options.path.length === 0 ? all : onlyNamed(all, named.value);
  if (options.tool !== undefined) return await inDifftool(repo, context, changes, options.tool, programs);
  if (options.nameOnly && !context.json)
    return done([...new Set(changes.flatMap(({ entries }) => entries.map(({ path }) => path)))].toSorted());
  const lines: Text[] = [];
  const documents: unknown[] = [];
  for (const { task: one, snapshot, entries } of changes) {
    const only = options.path.length === 0 ? [] : entries.map(({ path }) => path);
    const isWhole = !options.stat && !options.nameOnly;
    const patch = isWhole ? await repo.patches.text(snapshot.base, snapshot.commit, only) : null;
    const counts = (await repo.patches.counts(snapshot.base, snapshot.commit)) ?? [];
    const files = entries.map((entry) => ({ ...entry, ...linesOf(counts, entry.path) }));
    documents.push({ task: one.id, base: snapshot.base, snapshot: snapshot.commit, files, patch });
    lines.push(...(lines.length === 0 ? [] : ['']), ...headLines(state, { task: one, snapshot, entries }, counts));
    if (options.stat && entries.length > 0) lines.push(`  ${diffstatText(diffstatOf(counts))}`);
    if (patch !== null && !context.json) lines.push('', ...patch.trimEnd().split('\n').map(patchLine));
  }
  const isPaged = options.pager && !context.json && (await programs.page(repo, context, lines));
  return done(isPaged ? [] : lines, { run, tasks: documents });
}

const onlyNamed = (all: readonly Change[], named: ReadonlySet<string>): readonly Change[] =>
  all
    .map((one) => ({ ...one, entries: one.entries.filter(({ path }) => named.has(path)) }))
    .filter(({ entries }) => entries.length > 0);

/** Returns the changes of one task, for the terminal UI. */
export async function taskDiff(repo: RepositoryHandle, state: RunState, id: TaskId): Promise<readonly Text[]> {
  const task = state.tasks[id];
  const snapshot = task === undefined ? null : mergedSnapshot(state, task);
  if (task === undefined || snapshot === null) return [`${state.run}/${id} has no snapshot yet.`];
  const patch = await repo.patches.text(snapshot.base, snapshot.commit, []);
  const counts = (await repo.patches.counts(snapshot.base, snapshot.commit)) ?? [];
  const head = headLines(state, { task, snapshot, entries: judgeFiles(state, task, snapshot) }, counts);
  return [...head, '', ...patch.trimEnd().split('\n').map(patchLine)];
}

/** Returns the changed files of a snapshot, with their owners and line counts. */
export async function diffHead(
  repo: RepositoryHandle,
  state: RunState,
  task: TaskState,
  snapshot: SnapshotEvidence,
): Promise<readonly Text[]> {
  const counts = (await repo.patches.counts(snapshot.base, snapshot.commit)) ?? [];
  return headLines(state, { task, snapshot, entries: judgeFiles(state, task, snapshot) }, counts);
}

/** Opens one task after the other: a difftool shows two sides. */
async function inDifftool(
  repo: RepositoryHandle,
  context: Context,
  changes: readonly Change[],
  tool: string | true,
  { difftool }: DiffPrograms,
): Promise<Outcome> {
  const name = tool === true ? null : tool;
  if (context.json) return usageError('needs-person', 'diff: --tool needs a person; --json prints the patch');
  if (name !== null && !/^[\w.+-]+$/.test(name))
    return usageError('bad-tool', `diff: ${JSON.stringify(name)} is not the name of a tool`);
  for (const { task, snapshot } of changes) {
    context.terminal.line(headLine(task, snapshot));
    const code = await difftool(repo, context, snapshot.base, snapshot.commit, name);
    if (code === null) return failure('no-git', 'diff: cannot run git');
    if (code !== 0)
      return {
        exit: exitCodes.failed,
        reason: 'difftool-failed',
        problems: [`tidegate: diff: the difftool exited with ${code}`],
      };
  }
  return done();
}

const headLine = (task: TaskState, { base, commit }: SnapshotEvidence): Text => [
  { text: task.id, tone: 'strong' },
  ` ${task.progress.status}, ${base.slice(0, 8)}..${commit.slice(0, 8)}`,
];

/** Null where git counts no lines, as in a binary file. */
function linesOf(counts: readonly LineCount[], path: string): Omit<LineCount, 'path'> {
  const { added = null, removed = null } = counts.find((one) => one.path === path) ?? {};
  return { added, removed };
}

function countText(count: LineCount | undefined): string {
  if (count === undefined) return '';
  return count.added === null || count.removed === null ? 'binary' : `+${count.added} −${count.removed}`;
}

function headLines(
  state: RunState,
  { task, snapshot, entries }: Change,
  counts: readonly LineCount[],
): readonly Text[] {
  const width = Math.min(48, Math.max(0, ...entries.map(({ path }) => path.length)));
  const numbers = entries.map(({ path }) => countText(counts.find((one) => one.path === path)));
  const widest = Math.max(0, ...numbers.map((text) => text.length));
  return [
    headLine(task, snapshot),
    ...(entries.length === 0 ? ['  nothing changed'] : []),
    ...entries.map(
      ({ path, change, whose, problem }, at): Text => [
        `  ${change.padEnd(8)} ${path.padEnd(width)}  ${(numbers[at] ?? '').padEnd(widest)}  `,
        problem === null ? { text: whose, tone: 'good' } : { text: `out of scope: ${problem}`, tone: 'bad' },
      ],
    ),
    ...leftOutTexts(state, task).map((text): Text => [`  left out ${text}`]),
  ];
}

function patchLine(line: string): Text {
  if (line.startsWith('+') && !line.startsWith('+++')) return [{ text: line, tone: 'good' }];
  if (line.startsWith('-') && !line.startsWith('---')) return [{ text: line, tone: 'bad' }];
  return /^(diff|index|@@|---|\+\+\+)/.test(line) ? [{ text: line, tone: 'dim' }] : line;
}

type Place = { readonly checkout: string; readonly cwd: string };

/**
 * Returns the changed files that a person named, or the first name that matches none. A name is relative to the working directory, or else
 * to the top of the repository, as in the commands that Tidegate proposes. A directory means all files below it.
 */
export function namedChanges(
  names: readonly string[],
  { checkout, cwd }: Place,
  changed: readonly string[],
): Result<ReadonlySet<string>, { readonly name: string; readonly isOutside: boolean }> {
  const files = new Set<string>();
  for (const name of names) {
    const from = below(checkout, cwd) === null ? checkout : cwd;
    const places = [from, checkout].map((directory) => below(checkout, resolvePath(directory, name)));
    const inside = places.filter((place) => place !== null);
    const matches = inside
      .map((place) => changed.filter((path) => place === '' || below(place, path) !== null))
      .find((paths) => paths.length > 0);
    if (matches === undefined) return err({ name, isOutside: inside.length === 0 });
    for (const path of matches) files.add(path);
  }
  return ok(files);
}
