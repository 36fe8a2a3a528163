import type { TaskId } from '../base/ids.ts';
import { plainLine } from '../base/safe-text.ts';
import type { MonitorEvidence, SnapshotEvidence } from '../gates/evidence.ts';
import type { ComparedSides, GoneHunk } from '../ledger/derived-task-events.ts';
import type { RunState } from '../run/run.ts';
import { endedAttempt, snapshotOf, type TaskState } from '../run/task.ts';
import { reasonFor } from './sides.ts';

/** A change of either side that the work of a resolver lacks. `reason`: the words of its handoff; null when it gives none. */
export type LeftOut = GoneHunk & { readonly reason: string | null };

/** Returns what the work of a resolver leaves out of either side. For a task that was merged through one: what that one left out. */
export function leftOutBy(state: Pick<RunState, 'tasks'>, { id, progress }: TaskState): readonly LeftOut[] {
  const made = state.tasks[progress.status === 'merged' ? (progress.through ?? id) : id];
  const attempt = made === undefined ? null : endedAttempt(made);
  if (made === undefined || attempt?.sides === undefined) return [];
  return attempt.sides.snapshot === snapshotOf(made)?.commit ? leftOutOf(attempt.sides, attempt.handoff) : [];
}

/** Gives each change that is gone the reason for it. */
export function leftOutOf(
  { gone }: Pick<ComparedSides, 'gone'>,
  handoff: MonitorEvidence['handoff'],
): readonly LeftOut[] {
  const dropped = handoff.kind === 'given' ? (handoff.handoff.dropped ?? []) : [];
  return gone.map((hunk) => ({ ...hunk, reason: reasonFor(hunk, dropped) }));
}

/** `list.txt:1 of right (said twice)`. `task` is the task that the resolver stands for. */
export function leftOutText({ path, side, from, to, back, mode, reason }: LeftOut, task: TaskId): string {
  const lines = from === to ? `${from}` : `${from}-${to}`;
  const part = mode === undefined ? `${path}:${lines}` : `mode ${mode} of ${path}`;
  const whose = side === 'theirs' ? task : 'the other tasks';
  const what = `${back === true ? 'the removal at ' : ''}${part} of ${whose}`;
  return `${plainLine(what)} (${reason === null ? 'no reason given' : plainLine(reason).slice(0, 200)})`;
}

/** The same for everything that the work of a task lacks. */
export const leftOutTexts = (state: Pick<RunState, 'tasks' | 'derived'>, task: TaskState): readonly string[] =>
  leftOutBy(state, task).map((one) => leftOutText(one, state.derived?.[task.id]?.standsFor[0] ?? task.id));

/** The work that was merged for a task, which may be that of a resolver; or else its newest snapshot. */
export function mergedSnapshot(state: Pick<RunState, 'tasks' | 'derived'>, task: TaskState): SnapshotEvidence | null {
  const own = snapshotOf(task);
  const through = task.progress.status === 'merged' ? task.progress.through : undefined;
  const maker = through === undefined ? undefined : state.tasks[through];
  const made = maker === undefined ? null : snapshotOf(maker);
  const onto = through === undefined ? undefined : state.derived?.[through]?.inputs.onto;
  if (own === null || made === null || onto === undefined) return own;
  const repaired = new Set(made.diff.map(({ path }) => path));
  return { ...made, base: onto, diff: [...own.diff.filter(({ path }) => !repaired.has(path)), ...made.diff] };
}
