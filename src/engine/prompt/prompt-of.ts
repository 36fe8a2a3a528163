import { providerOf } from '../../domain/agents/provider-pause.ts';
import { attemptId, type TaskId } from '../../domain/base/ids.ts';
import { plannedById } from '../../domain/plan/plan.ts';
import { foldRun, type Recorded, type RunState } from '../../domain/run/run.ts';
import { type Attempt, agentOf, attemptOf } from '../../domain/run/task.ts';
import type { GitReader } from '../../ports/merger.ts';
import { filesInScope } from './files-section.ts';
import { buildPrompt } from './prompt.ts';

/** Reads what the prompt tells of the repository, from a commit: the same state and attempt give the same prompt. */
export async function promptOf(
  git: Pick<GitReader, 'files' | 'diff'>,
  state: RunState,
  id: TaskId,
  attempt: Attempt,
): Promise<string> {
  const task = plannedById(state.plan, id);
  if (task === undefined) throw new Error(`${id} is not in the plan`);
  return buildPrompt({ state, task, attempt, files: await filesInScope(git, state, task, attempt) });
}

/** The run as it was when an attempt was intended: what its agent is told does not depend on when we look. */
export function asIntended(
  stored: readonly Recorded[],
  now: RunState,
  id: string,
): { readonly state: RunState; readonly task: TaskId; readonly attempt: Attempt } {
  const at = stored.findLastIndex(({ event }) => event.type === 'attempt-intended' && event.attempt === id);
  const intended = stored[at]?.event;
  const state = at === stored.length - 1 ? now : foldRun(stored.slice(0, at + 1));
  const task = intended?.type === 'attempt-intended' ? state?.tasks[intended.task] : undefined;
  const attempt = task === undefined ? null : attemptOf(task);
  if (state === null || task === undefined || attempt === null) throw new Error(`${id} was never intended`);
  return { state, task: task.id, attempt };
}

/** The attempt that a task which has not started yet would be given now; null when it has, or has nothing to start from. */
export function nextAttempt(state: RunState, id: TaskId): Attempt | null {
  const task = state.tasks[id];
  const base = task?.base ?? state.branch?.commit ?? state.target.commit;
  if (task?.progress.status !== 'waiting') return null;
  const { from, message, findings, after, session } = task.progress.next;
  const number = task.launches + 1;
  return {
    id: attemptId(state.run, id, number),
    number,
    nonce: '<nonce>',
    base,
    from: from === 'base' ? base : from,
    agent: agentOf(task),
    provider: providerOf(task),
    session,
    message,
    findings,
    after,
  };
}
