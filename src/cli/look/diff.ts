import type { TaskId } from '../../domain/base/ids.ts';
import type { SnapshotEvidence } from '../../domain/gates/evidence.ts';
import type { RunState } from '../../domain/run/run.ts';
import { snapshotOf, type TaskState } from '../../domain/run/task.ts';
import type { LineCount, RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { diffstatText } from '../../view/activity.ts';
import { type JudgedFile, judgedEntries } from '../../view/judged-files.ts';
import { diffstatOf } from '../follow/activity.ts';
import { type Context, done, exitCodes, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import type { DiffPrograms } from '../frame/ports.ts';
import { runNamed } from '../frame/subject.ts';
import { failed, withRepository } from '../frame/with-repository.ts';
import { namedChanges } from './diff-paths.ts';

type Taken = { readonly task: TaskState; readonly snapshot: SnapshotEvidence; readonly entries: readonly JudgedFile[] };
type DiffOptions = {
  readonly stat: boolean;
  readonly nameOnly: boolean;
  readonly pager: boolean;
  readonly tool: string | true | undefined;
  /** Only these, as the person sees them from where they are; empty: all. */
  readonly path: readonly string[];
};

/** `tidegate diff [run[/task]]`: what each task changed against its base, with whose each file is. */
export const showDiff = (
  { task, ...options }: DiffOptions & { readonly task: string | undefined },
  context: Context,
  { ports }: Program,
): Promise<Outcome> =>
  withRepository(ports.openRepository, context, 'look', async (repo) =>
    show(repo, context, task, options, await ports.diffPrograms()),
  );

async function show(
  repo: RepositoryHandle,
  context: Context,
  given: string | undefined,
  options: DiffOptions,
  programs: DiffPrograms,
): Promise<Outcome> {
  const found = await runNamed(repo, 'diff', given, 'newest');
  if (!found.ok) return found.error;
  const { run, state, task } = found.value;
  const tasks = Object.values(state.tasks).filter(({ id }) => task === null || id === task);
  const all = tasks.flatMap((one): readonly Taken[] => {
    const snapshot = snapshotOf(one);
    return snapshot === null ? [] : [{ task: one, snapshot, entries: judgedEntries(state, one, snapshot) }];
  });
  const name = task === null ? run : `${run}/${task}`;
  if (all.length === 0) return done([`No snapshot of ${name} was taken yet.`], { run, tasks: [] });
  const changed = all.flatMap(({ entries }) => entries.map(({ path }) => path));
  const named = namedChanges(options.path, { checkout: repo.checkout, cwd: context.cwd }, changed);
  if (!named.ok)
    return named.error.isOutside
      ? misused('bad-path', `diff: ${named.error.name} is outside of the repository`)
      : misused('not-changed', `diff: ${name} did not change ${named.error.name}`);
  const taken = options.path.length === 0 ? all : onlyNamed(all, named.value);
  if (options.tool !== undefined) return await inDifftool(repo, context, taken, options.tool, programs);
  if (options.nameOnly && !context.json)
    return done([...new Set(taken.flatMap(({ entries }) => entries.map(({ path }) => path)))].toSorted());
  const lines: Text[] = [];
  const documents: unknown[] = [];
  for (const { task: one, snapshot, entries } of taken) {
    const only = options.path.length === 0 ? [] : entries.map(({ path }) => path);
    const isWhole = !options.stat && !options.nameOnly;
    const patch = isWhole ? await repo.patches.text(snapshot.base, snapshot.commit, only) : null;
    const counts = (await repo.patches.counts(snapshot.base, snapshot.commit)) ?? [];
    const files = entries.map((entry) => ({ ...entry, ...linesOf(counts, entry.path) }));
    documents.push({ task: one.id, base: snapshot.base, snapshot: snapshot.commit, files, patch });
    lines.push(...(lines.length === 0 ? [] : ['']), ...headLines(one, snapshot, entries, counts));
    if (options.stat && entries.length > 0) lines.push(`  ${diffstatText(diffstatOf(counts))}`);
    if (patch !== null && !context.json) lines.push('', ...patch.trimEnd().split('\n').map(patchLine));
  }
  const isPaged = options.pager && !context.json && (await programs.page(repo, context, lines));
  return done(isPaged ? [] : lines, { run, tasks: documents });
}

const onlyNamed = (all: readonly Taken[], named: ReadonlySet<string>): readonly Taken[] =>
  all
    .map((one) => ({ ...one, entries: one.entries.filter(({ path }) => named.has(path)) }))
    .filter(({ entries }) => entries.length > 0);

/** What one task changed, for a screen. */
export async function taskDiff(repo: RepositoryHandle, state: RunState, id: TaskId): Promise<readonly Text[]> {
  const task = state.tasks[id];
  const snapshot = task === undefined ? null : snapshotOf(task);
  if (task === undefined || snapshot === null) return [`No snapshot of ${state.run}/${id} was taken yet.`];
  const patch = await repo.patches.text(snapshot.base, snapshot.commit, []);
  const counts = (await repo.patches.counts(snapshot.base, snapshot.commit)) ?? [];
  const head = headLines(task, snapshot, judgedEntries(state, task, snapshot), counts);
  return [...head, '', ...patch.trimEnd().split('\n').map(patchLine)];
}

/** What a snapshot changed, file by file with whose each is, and how many lines. */
export async function diffHead(
  repo: RepositoryHandle,
  state: RunState,
  task: TaskState,
  snapshot: SnapshotEvidence,
): Promise<readonly Text[]> {
  const counts = (await repo.patches.counts(snapshot.base, snapshot.commit)) ?? [];
  return headLines(task, snapshot, judgedEntries(state, task, snapshot), counts);
}

/** One task after the other: a difftool shows two sides. */
async function inDifftool(
  repo: RepositoryHandle,
  context: Context,
  taken: readonly Taken[],
  tool: string | true,
  { difftool }: DiffPrograms,
): Promise<Outcome> {
  const name = tool === true ? null : tool;
  if (context.json) return misused('needs-person', 'diff: --tool is for people; --json has the patch');
  if (name !== null && !/^[\w.+-]+$/.test(name)) return misused('bad-tool', `diff: ${JSON.stringify(name)} is no tool`);
  for (const { task, snapshot } of taken) {
    context.terminal.line(headLine(task, snapshot));
    const code = await difftool(repo, context, snapshot.base, snapshot.commit, name);
    if (code === null) return failed('no-git', 'diff: git could not be run');
    if (code !== 0)
      return { exit: exitCodes.failed, reason: 'difftool-failed', problems: [`difftool ended with ${code}`] };
  }
  return done();
}

const headLine = (task: TaskState, { base, commit }: SnapshotEvidence): Text => [
  { text: task.id, tone: 'strong' },
  ` ${task.progress.status}, ${base.slice(0, 8)}..${commit.slice(0, 8)}`,
];

/** Null for both where git counts no lines, as in a binary file. */
function linesOf(counts: readonly LineCount[], path: string): Omit<LineCount, 'path'> {
  const { added = null, removed = null } = counts.find((one) => one.path === path) ?? {};
  return { added, removed };
}

function countText(count: LineCount | undefined): string {
  if (count === undefined) return '';
  return count.added === null || count.removed === null ? 'binary' : `+${count.added} −${count.removed}`;
}

function headLines(
  task: TaskState,
  snapshot: SnapshotEvidence,
  entries: readonly JudgedFile[],
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
  ];
}

function patchLine(line: string): Text {
  if (line.startsWith('+') && !line.startsWith('+++')) return [{ text: line, tone: 'good' }];
  if (line.startsWith('-') && !line.startsWith('---')) return [{ text: line, tone: 'bad' }];
  return /^(diff|index|@@|---|\+\+\+)/.test(line) ? [{ text: line, tone: 'dim' }] : line;
}
