import type { TaskId } from '../base/ids.ts';
import type { RunEvent } from '../ledger/events.ts';
import { isOver, runSpend, taskSpend } from '../run/costs.ts';
import { isRoundOpen } from '../run/round.ts';
import { type RunState, tasksOfWave, type WaveState } from '../run/run.ts';
import { snapshotOf } from '../run/task.ts';
import { policy } from '../settings/policy.ts';
import { blockingRecords, isUnassignable } from './blocking.ts';
import type { BoardRecord } from './board.ts';

/**
 * Tells whether a task that is ready may be started again for the records that wait for it: at most twice, so that two tasks cannot
 * keep each other busy, and within the budgets. After that a person decides.
 */
export function mayHelp(state: RunState, id: TaskId): boolean {
  const task = state.tasks[id];
  if (task?.progress.status !== 'ready' || (state.helps?.[id] ?? 0) >= policy.helps) return false;
  // a candidate that is being integrated keeps its snapshots; a person may interrupt it
  if (isRoundOpen(state.waves[task.wave]?.rounds.at(-1))) return false;
  return !isOver(taskSpend(state, task)) && !isOver(runSpend(state));
}

const isHelper = (state: RunState, { index }: WaveState, target: BoardRecord['target']): boolean =>
  target !== 'person' && target !== 'all' && state.tasks[target]?.wave === index && mayHelp(state, target);

type Helper = { readonly task: TaskId; readonly events: readonly RunEvent[] };

/** A task of the wave that has to be started again, and the events that do it. Null when there is none. */
export function nextHelper(state: RunState, wave: WaveState, at: string): Helper | null {
  const waiting = blockingRecords(state, wave.index).filter((record) => !isUnassignable(state, record));
  // in the order of the records, which is the order of the barriers
  const helper = waiting.find(({ target }) => isHelper(state, wave, target))?.target;
  const task = tasksOfWave(state, wave.index).find(({ id }) => id === helper);
  if (task === undefined) return null;
  const records = waiting.filter(({ target }) => target === task.id);
  const events: readonly RunEvent[] = [
    { type: 'helper-assigned', task: task.id, records: records.map(({ id }) => id), at, most: policy.helps },
    {
      type: 'task-reworked',
      task: task.id,
      message: '',
      from: snapshotOf(task)?.commit ?? 'base',
      findings: records.map(({ id, kind }) => ({ rule: 'open-record', run: state.run, record: id, kind, to: task.id })),
      by: { who: 'tidegate', via: 'policy' },
    },
  ];
  return { task: task.id, events };
}
