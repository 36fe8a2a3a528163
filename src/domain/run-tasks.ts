import type { RunEvent } from './events.ts';
import type { TaskId } from './ids.ts';
import { dependentsOf, plannedById } from './plan.ts';
import type { RunState } from './run.ts';
import { evolveTask, holdTask, type TaskLimits, type TaskState, unholdTask } from './task.ts';

/** A fact of one task. A task that is unknown changes nothing: facts are never refused. */
export function evolveOneTask(state: RunState, id: TaskId, event: RunEvent): RunState {
  const task = state.tasks[id];
  if (task === undefined) return state;
  return { ...state, tasks: { ...state.tasks, [id]: evolveTask(task, event, limitsOf(state, id)) } };
}

/** A fact that may concern any of them: each task says for itself. */
export function evolveAllTasks(state: RunState, event: RunEvent): RunState {
  const tasks = Object.entries(state.tasks).map(
    ([id, task]) => [id, evolveTask(task, event, limitsOf(state, task.id))] as const,
  );
  return { ...state, tasks: Object.fromEntries(tasks) };
}

/** A ready task that stands on a held one cannot be integrated either. */
export function holdDependents(state: RunState): RunState {
  const tasks: Record<TaskId, TaskState> = { ...state.tasks };
  const held = Object.values(state.tasks).filter((task) => task.progress.status === 'held');
  for (const { id } of held)
    for (const dependent of dependentsOf(state.plan, id)) {
      const task = tasks[dependent];
      if (task !== undefined) tasks[dependent] = holdTask(task, { because: 'needs', task: id });
    }
  return { ...state, tasks };
}

/** Held only for the sake of this task, or not begun yet: they start on its new result. */
export function releaseDependents(state: RunState, task: TaskId): RunState {
  return dependentsOf(state.plan, task).reduce((next, id) => {
    const progress = next.tasks[id]?.progress;
    const waits = progress?.status === 'held' && progress.hold.because === 'needs';
    const fresh = progress?.status === 'waiting' && progress.next.from === 'base' && progress.next.halt === null;
    return waits || fresh
      ? evolveOneTask(next, id, { type: 'task-retried', task: id, by: { who: 'tidegate', via: 'policy' } })
      : next;
  }, state);
}

/** Held for the sake of tasks that are held no longer: what was proven of them still is. */
export function standAgain(state: RunState): RunState {
  const tasks = Object.values(state.tasks).map((task) => {
    const { progress } = task;
    if (progress.status !== 'held' || progress.hold.because !== 'needs') return [task.id, task] as const;
    const blocker = state.tasks[progress.hold.task]?.progress.status;
    const stands = blocker === undefined || ['ready', 'done', 'merged', 'dropped'].includes(blocker);
    return [task.id, stands ? unholdTask(task) : task] as const;
  });
  return { ...state, tasks: Object.fromEntries(tasks) };
}

const limitsOf = ({ plan, terms }: RunState, task: TaskId): TaskLimits => ({
  attempts: plan.limits.attempts,
  chain: plannedById(plan, task)?.agent ?? [],
  terms,
});
