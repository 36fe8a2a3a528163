import type { z } from 'zod';
import { batchStatus, countsOf, subtasksOfBatch, subtasksOfWave } from './counts.ts';
import type { batchDocument, submittedBatch, subtaskDocument, waveDocument } from './documents.ts';
import type { Batch, Session, Subtask, Wave } from './session.ts';
import type { Synthesis, SynthesisConflict } from './synthesis.ts';

/** A session as DCM's documents show it. */
export function waveShown(state: Session, wave: Wave): z.input<typeof waveDocument> {
  return {
    id: wave.id,
    session_id: state.session,
    wave_number: wave.number,
    status: wave.status,
    ...countersOf(subtasksOfWave(state, wave.number)),
    started_at: 'startedAt' in wave ? wave.startedAt : null,
    completed_at: 'completedAt' in wave ? wave.completedAt : null,
    name: wave.name,
    description: wave.description,
  };
}

export const submittedShown = (state: Session, batch: Batch): z.input<typeof submittedBatch> => ({
  id: batch.id,
  session_id: state.session,
  wave_number: batch.wave,
  status: batchStatus(state, batch),
  ...countersOf(subtasksOfBatch(state, batch)),
  created_at: batch.createdAt,
  subtask_ids: [...batch.subtasks],
});

/** What is most important comes first. */
export const batchShown = (state: Session, batch: Batch): z.input<typeof batchDocument> => ({
  ...submittedShown(state, batch),
  ...(batch.end === null ? {} : { completed_at: batch.end.at }),
  subtasks: subtasksOfBatch(state, batch)
    .toSorted((a, b) => b.priority - a.priority)
    .map(subtaskShown),
});

export function subtaskShown(subtask: Subtask): z.input<typeof subtaskDocument> {
  const { progress, result, context } = subtask;
  return {
    id: subtask.id,
    task_id: subtask.taskId,
    batch_id: subtask.batch,
    wave_number: subtask.wave,
    agent_type: subtask.agentType,
    agent_id: subtask.agentId,
    description: subtask.description,
    status: progress.status,
    priority: subtask.priority,
    blocked_by: [...subtask.blockedBy],
    context_snapshot: context,
    ...(result === null ? {} : { result }),
    created_at: subtask.createdAt,
    ...(progress.startedAt === null ? {} : { started_at: progress.startedAt }),
    ...('completedAt' in progress ? { completed_at: progress.completedAt } : {}),
  };
}

/** Copies, because what is sent may be written to; what is folded may not. */
export const synthesisShown = (synthesis: Synthesis) => ({
  ...synthesis,
  results: synthesis.results.map((result) => ({ ...result, files: [...result.files] })),
  conflicts: synthesis.conflicts.map(conflictShown),
  files_changed: [...synthesis.files_changed],
});

export const conflictShown = (conflict: SynthesisConflict) => ({
  ...conflict,
  agents: [...conflict.agents],
  subtasks: [...conflict.subtasks],
  files: [...conflict.files],
});

function countersOf(subtasks: readonly Subtask[]) {
  const { total, completed, failed } = countsOf(subtasks);
  return { total_tasks: total, completed_tasks: completed, failed_tasks: failed };
}
