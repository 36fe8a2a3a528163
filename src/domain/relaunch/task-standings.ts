import type { TaskId } from '../base/ids.ts';
import { recordById } from '../board/board.ts';
import { type Barrier, barriersOfRun } from '../closure/barriers.ts';
import { isVoid } from '../derived/derived-tasks.ts';
import type { RunState } from '../run/run.ts';
import { isBlocked, isLive } from '../run/schedule.ts';
import type { TaskState } from '../run/task.ts';
import { relaunchOf } from './relaunch.ts';

/**
 * The place of a task in its wave:
 *   planned      it has not been started
 *   working      its agent runs, or its work is being judged
 *   blocked      a person or another task has to act first
 *   needs-rerun  it starts again without a person
 *   satisfied    its work is ready, and nothing is asked of it
 *   closed       it is merged or dropped, or its wave or run is over
 */
export const taskStandings = ['planned', 'working', 'blocked', 'satisfied', 'needs-rerun', 'closed'] as const;
export type TaskStanding = (typeof taskStandings)[number];

/** Returns the standing of every task and closure role of the run. */
export function standingsOf(state: RunState): ReadonlyMap<TaskId, TaskStanding> {
  const next = new Set(relaunchOf(state).map(({ task }) => task));
  const asked = new Set(barriersOfRun(state).flatMap((barrier) => askedOf(state, barrier)));
  return new Map(Object.values(state.tasks).map((task) => [task.id, standingOf(state, task, { next, asked })]));
}

type Waiting = { readonly next: ReadonlySet<TaskId>; readonly asked: ReadonlySet<TaskId> };

function standingOf(state: RunState, task: TaskState, { next, asked }: Waiting): TaskStanding {
  const { status } = task.progress;
  const isOver = state.ended !== null || state.waves[task.wave]?.closed === true || isVoid(state, task.id);
  // a role that judges a landing works after its wave has closed
  if (isLive(task) || status === 'ended') return 'working';
  if (status === 'merged' || status === 'dropped' || isOver) return 'closed';
  if (status === 'held' || status === 'failed' || isBlocked(state, task)) return 'blocked';
  if (status === 'waiting') return task.launches === 0 ? 'planned' : 'needs-rerun';
  if (next.has(task.id)) return 'needs-rerun';
  return asked.has(task.id) ? 'blocked' : 'satisfied';
}

/** The task that a barrier is about, if a person has to act on it. */
function askedOf(state: RunState, { owner, task, record }: Barrier): readonly TaskId[] {
  if (owner !== 'person') return [];
  const target = record === undefined ? undefined : recordById(state, record)?.target;
  const about = task ?? (target === 'person' || target === 'all' ? undefined : target);
  return about === undefined ? [] : [about];
}
