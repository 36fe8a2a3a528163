import { type Batch, type Session, type Subtask, subtaskOf, type Wave } from './session.ts';

export type Counts = { readonly total: number; readonly completed: number; readonly failed: number };

/** Counted whenever they are asked for, and never kept: they cannot come apart from the subtasks. */
export const countsOf = (subtasks: readonly Subtask[]): Counts => ({
  total: subtasks.length,
  completed: subtasks.filter(({ progress }) => progress.status === 'completed').length,
  failed: subtasks.filter(({ progress }) => progress.status === 'failed').length,
});

export const subtasksOfWave = (state: Session, wave: number): readonly Subtask[] =>
  state.subtasks.filter((subtask) => subtask.wave === wave);

export const subtasksOfBatch = (state: Session, { subtasks }: Batch): readonly Subtask[] =>
  subtasks.flatMap((id) => subtaskOf(state, id) ?? []);

export const isSubtaskSettled = ({ progress }: Subtask): boolean =>
  progress.status === 'completed' || progress.status === 'failed';

export const hasEnded = ({ status }: Wave): boolean => status === 'completed' || status === 'failed';

/** One that has failed subtasks failed when it is completed: work that is not there is not called done. */
export function batchStatus(state: Session, batch: Batch): 'pending' | 'running' | 'completed' | 'failed' {
  const subtasks = subtasksOfBatch(state, batch);
  if (batch.end !== null) return countsOf(subtasks).failed > 0 ? 'failed' : 'completed';
  return subtasks.some(({ progress }) => progress.startedAt !== null) ? 'running' : 'pending';
}

/** The one that is running, else the highest that is pending. */
export const sessionWave = ({ waves }: Session): Wave | undefined =>
  waves.find(({ status }) => status === 'running') ?? waves.findLast(({ status }) => status === 'pending');
