import type { TaskId } from '../base/ids.ts';
import { present } from '../base/result.ts';
import { openBarriers } from '../closure/barriers.ts';
import { findingsIn } from '../gates/verdict.ts';
import type { RunEvent } from '../ledger/events.ts';
import { aftermathOf } from '../run/recovery.ts';
import { currentWave, type RunState, tasksOfWave } from '../run/run.ts';
import { countsAsDone, isResolved } from '../run/task.ts';

type Continued = RunEvent & { readonly type: 'task-continued' };

/**
 * Lets the owners that a component waits for continue at no cost, when nothing else keeps the wave open. `settled` is the task that has
 * just finished. It is none of those owners, so no task is continued because of its own attempt: the number of continuations is
 * bounded by the number of tasks that finish.
 */
export function continuations(state: RunState, settled: TaskId, attempts: number): readonly Continued[] {
  const wave = currentWave(state);
  const task = state.tasks[settled];
  if (wave === undefined || task?.wave !== wave.index || !countsAsDone(task)) return [];
  const open = openBarriers(state, wave).map(({ because }) => because);
  const waiting = open.flatMap((because) =>
    because.rule === 'component-open' && because.code === 'shared-component-sibling-pending' ? [because] : [],
  );
  const owners = new Set(waiting.flatMap(({ tasks }) => tasks));
  const others = tasksOfWave(state, wave.index).filter(({ id }) => !owners.has(id));
  if (waiting.length === 0 || waiting.length < open.length || owners.has(settled)) return [];
  if (others.some((other) => !isResolved(other) && !countsAsDone(other))) return [];
  return tasksOfWave(state, wave.index).flatMap(({ id, progress }): readonly Continued[] => {
    if (!owners.has(id) || progress.status !== 'failed') return [];
    return [
      {
        type: 'task-continued',
        task: id,
        settled,
        components: waiting.filter(({ tasks }) => tasks.includes(id)).map(({ component }) => component),
        from: progress.snapshot?.commit ?? 'base',
        charged: Math.max(0, attempts - 1),
        findings: findingsIn([...(progress.attempt.dispatched ?? []), ...(progress.attempt.monitored ?? [])]),
        after: aftermathOf({ ending: progress.attempt.ending, ...present({ agent: progress.attempt.report }) }),
      },
    ];
  });
}
