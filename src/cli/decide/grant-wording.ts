import { foldPath } from '../../domain/base/path-fold.ts';
import { plannedById } from '../../domain/plan/plan.ts';
import type { RunState } from '../../domain/run/run.ts';
import type { TaskState } from '../../domain/run/task.ts';
import { grantPattern } from '../../domain/scope/claims.ts';
import { protectedConfig } from '../../domain/scope/ownership.ts';
import type { Subjects } from '../../engine/actions/action.ts';
import { grantedIn } from '../../pipeline/step.ts';

/** Says what follows from a grant, worded from how the task stood before. */
export function afterGrant({ state, task: id }: Subjects['task'], paths: readonly string[]): string {
  const task = state.tasks[id];
  switch (task?.progress.status) {
    case 'launching':
    case 'running':
      return whileLive(state, task, paths);
    case 'held':
    case 'ended':
    case undefined:
      return 'its snapshot is judged again';
    case 'waiting':
      return 'its next attempt may change them';
    case 'failed':
      return 'it has failed, so this counts once it is tried again';
    case 'merged':
      return 'it is merged already, so nothing is judged again; a check definition that it changed counts from now on';
    case 'ready':
    case 'done':
    case 'dropped':
      return `it is ${task.progress.status}, so nothing is judged again`;
  }
}

/** What steers agents is mounted read-only into the fence of an attempt when it starts, and stays so until it ends. */
function whileLive(state: RunState, task: TaskState, paths: readonly string[]): string {
  const planned = plannedById(state.plan, task.id);
  const isFenced = state.plan.fence.mode !== 'none';
  const closed = planned === undefined || !isFenced ? [] : protectedConfig(state.plan, planned, grantedIn(state));
  const names = new Set(closed.map(foldPath));
  const later = paths.filter((path) => names.has(grantPattern(path).prefix[0] ?? ''));
  if (later.length === 0) return 'its agent may change them from now on';
  const open = later.length === paths.length ? '' : 'its agent may change the others from now on; ';
  return `${open}read-only until its next attempt: ${later.join(' ')}`;
}

export const wildGrant = (paths: readonly string[]): string =>
  paths.every((path) => grantPattern(path).literal)
    ? ''
    : ' A wildcard opens no protected file and no check definition: grant each of those by its name.';
