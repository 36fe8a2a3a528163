import type { AttemptIntended } from '../../domain/events.ts';
import { attemptId, type TaskId } from '../../domain/ids.ts';
import { plannedById } from '../../domain/plan.ts';
import { foldRun, type Recorded, type RunState } from '../../domain/run.ts';
import type { GitReader } from '../../ports/merger.ts';
import { filesInScope } from './files-section.ts';
import { buildPrompt } from './prompt.ts';

/** Reads what the prompt tells of the repository, from a commit: the same state and attempt give the same prompt. */
export async function promptOf(
  git: Pick<GitReader, 'files' | 'diff'>,
  state: RunState,
  attempt: AttemptIntended,
): Promise<string> {
  const task = plannedById(state.plan, attempt.task);
  if (task === undefined) throw new Error(`${attempt.task} is not in the plan`);
  return buildPrompt({ state, task, attempt, files: await filesInScope(git, state, task, attempt) });
}

/** The run as it was when an attempt was intended: what its agent is told does not depend on when we look. */
export function asIntended(
  stored: readonly Recorded[],
  now: RunState,
  id: string,
): { readonly state: RunState; readonly attempt: AttemptIntended } {
  const at = stored.findLastIndex(({ event }) => event.type === 'attempt-intended' && event.attempt === id);
  const attempt = stored[at]?.event;
  const state = at === stored.length - 1 ? now : foldRun(stored.slice(0, at + 1));
  if (attempt?.type !== 'attempt-intended' || state === null) throw new Error(`${id} was never intended`);
  return { state, attempt };
}

/** What a task that has not started yet would be told now; null when it has, or when there is nothing to start from. */
export function nextAttempt(state: RunState, id: TaskId): AttemptIntended | null {
  const task = state.tasks[id];
  const base = task?.base ?? state.branch?.commit ?? state.target.commit;
  if (task?.progress.status !== 'waiting') return null;
  const { from, findings, after } = task.progress.next;
  const number = task.launches + 1;
  return {
    type: 'attempt-intended',
    task: id,
    attempt: attemptId(state.run, id, number),
    number,
    nonce: '<nonce>',
    base,
    from: from === 'base' ? base : from,
    findings,
    ...(after === null ? {} : { after }),
  };
}
