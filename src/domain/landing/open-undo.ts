import type { CommitId, TaskId } from '../base/ids.ts';
import { checkKey, type RunState } from '../run/run.ts';

/** An undo that a person asked for and that is not answered yet. */
type OpenUndo = {
  readonly task: TaskId | null;
  /** Where the reverts are prepared; null before that. */
  readonly onto: CommitId | null;
  /** The check that it waits for; null when it is the merger's turn. */
  readonly check: string | null;
};

export function openUndo(state: RunState): OpenUndo | null {
  const asked = state.pending.find(({ request }) => request.type === 'requested-undo')?.request;
  if (asked?.type !== 'requested-undo') return null;
  const { task } = asked;
  const { prepared } = state.undo;
  if (prepared === null || prepared.task !== task) return { task, onto: null, check: null };
  const waits = state.plan.checks.find(({ name }) => state.checks[checkKey(prepared.tree, name)]?.outcome !== 'passed');
  return { task, onto: prepared.onto, check: waits?.name ?? null };
}
