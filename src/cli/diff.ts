import type { DiffEntry, SnapshotEvidence } from '../domain/evidence.ts';
import type { TaskId } from '../domain/ids.ts';
import { outOfScope, scopeOf } from '../domain/ownership.ts';
import { plannedById, type RunState } from '../domain/run.ts';
import { snapshotOf, type TaskState } from '../domain/task.ts';
import type { Text } from '../ports/terminal.ts';
import { type Context, done, type Outcome, type Register } from './command.ts';
import { atDesk, type Desk, type OpenDesk } from './desk.ts';
import { runNamed } from './subject.ts';

type Judged = DiffEntry & { readonly problem: string | null };

/** `tidegate diff [run[/task]]`: what each task changed against its base, with whose each file is. */
export const diff =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('[task]', 'run, run/task or a task of the live run; without it the live run')
      .option('--stat', 'the files only')
      .action(
        does((given: string | undefined, options: { stat?: boolean }) =>
          atDesk(open, context, 'look', (desk) => show(desk, context, given, options.stat === true)),
        ),
      );
  };

async function show(desk: Desk, context: Context, given: string | undefined, stat: boolean): Promise<Outcome> {
  const found = await runNamed(desk, 'diff', given, 'newest');
  if (!found.ok) return found.error;
  const { run, state, task } = found.value;
  const tasks = Object.values(state.tasks).filter(({ id }) => task === null || id === task);
  const taken = tasks.flatMap((one) => {
    const snapshot = snapshotOf(one);
    return snapshot === null ? [] : [{ task: one, snapshot, entries: judgedEntries(state, one, snapshot) }];
  });
  if (taken.length === 0)
    return done([`No snapshot of ${task === null ? run : `${run}/${task}`} was taken yet.`], { run, tasks: [] });
  const lines: Text[] = [];
  const documents: unknown[] = [];
  for (const { task: one, snapshot, entries } of taken) {
    const patch = stat ? null : await desk.patches.text(snapshot.base, snapshot.commit, []);
    documents.push({ task: one.id, base: snapshot.base, snapshot: snapshot.commit, files: entries, patch });
    lines.push(...(lines.length === 0 ? [] : ['']), ...headLines(one, snapshot, entries));
    if (patch !== null && !context.json) lines.push('', ...patch.trimEnd().split('\n').map(patchLine));
  }
  return done(lines, { run, tasks: documents });
}

/** What one task changed, for a screen. */
export async function taskDiff(desk: Desk, state: RunState, id: TaskId): Promise<readonly Text[]> {
  const task = state.tasks[id];
  const snapshot = task === undefined ? null : snapshotOf(task);
  if (task === undefined || snapshot === null) return [`No snapshot of ${state.run}/${id} was taken yet.`];
  const patch = await desk.patches.text(snapshot.base, snapshot.commit, []);
  const head = headLines(task, snapshot, judgedEntries(state, task, snapshot));
  return [...head, '', ...patch.trimEnd().split('\n').map(patchLine)];
}

/** Every file of the diff, with why it is not this task's to change, judged by the gate itself. */
function judgedEntries(state: RunState, task: TaskState, snapshot: SnapshotEvidence): readonly Judged[] {
  const planned = plannedById(state.plan, task.id);
  if (planned === undefined) return snapshot.diff.map((entry) => ({ ...entry, problem: 'not in the plan' }));
  const granted = Object.values(state.tasks).map(({ id, granted: paths }) => ({ task: id, paths }));
  const outside = outOfScope(scopeOf(state.plan, planned, granted), snapshot.diff);
  return snapshot.diff.map((entry) => {
    const finding = outside.find(({ where }) => where === entry.path);
    const detail = finding?.detail.replace(`${entry.change} ${entry.path}: `, '');
    return { ...entry, problem: detail ?? null };
  });
}

function headLines(task: TaskState, snapshot: SnapshotEvidence, entries: readonly Judged[]): readonly Text[] {
  const width = Math.min(48, Math.max(0, ...entries.map(({ path }) => path.length)));
  return [
    [
      { text: task.id, tone: 'strong' },
      ` ${task.progress.status}, ${snapshot.base.slice(0, 8)}..${snapshot.commit.slice(0, 8)}`,
    ],
    ...(entries.length === 0 ? ['  nothing changed'] : []),
    ...entries.map(
      ({ path, change, problem }): Text => [
        `  ${change.padEnd(8)} ${path.padEnd(width)}  `,
        problem === null ? { text: 'its own', tone: 'good' } : { text: problem, tone: 'bad' },
      ],
    ),
  ];
}

function patchLine(line: string): Text {
  if (line.startsWith('+') && !line.startsWith('+++')) return [{ text: line, tone: 'good' }];
  if (line.startsWith('-') && !line.startsWith('---')) return [{ text: line, tone: 'bad' }];
  return /^(diff|index|@@|---|\+\+\+)/.test(line) ? [{ text: line, tone: 'dim' }] : line;
}
