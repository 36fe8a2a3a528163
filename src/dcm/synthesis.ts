import { resolvePath } from '../domain/base/paths.ts';
import type { DcmBatchResult, DcmConflict } from '../domain/ledger/dcm-events.ts';
import {
  countsOf,
  type DcmBatch,
  type DcmSession,
  type DcmSubtask,
  isSubtaskSettled,
  subtaskOf,
  subtasksOfBatch,
} from './session.ts';

/** Decides about a batch whose subtasks are all settled. */
export function resultsOf(state: DcmSession, batch: DcmBatch): DcmBatchResult {
  const subtasks = subtasksOfBatch(state, batch);
  return {
    files: [...new Set(subtasks.flatMap(filesOf))],
    conflicts: conflictsIn(state, batch),
    nextWaveReady: state.waves.some(({ number, status }) => number === batch.wave && status === 'completed'),
  };
}

/** Returns the synthesis by the names of DCM's documents. Null until the batch is completed. */
export function synthesisOf(state: DcmSession, batch: DcmBatch) {
  if (batch.end === null) return null;
  const subtasks = subtasksOfBatch(state, batch);
  const { total, completed, failed } = countsOf(subtasks);
  const results = subtasks.flatMap(resultOf);
  const { files, conflicts, nextWaveReady } = batch.end;
  const duration = results.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  return {
    summary: `Wave ${batch.wave}: ${completed}/${total} tasks completed. ${files.length} files modified, ${conflicts.length} conflicts.`,
    results,
    conflicts: conflicts.map((conflict) => describeConflict(state, conflict)),
    files_changed: files,
    next_wave_ready: nextWaveReady,
    tokens_saved: files.length * 500 + completed * 200,
    stats: {
      total_tasks: total,
      completed,
      failed,
      files_modified: files.length,
      avg_duration_ms: results.length === 0 ? 0 : Math.round(duration / results.length),
      total_duration_ms: duration,
    },
  };
}

/** Returns the conflicts so far, whether or not the batch is completed. */
export const batchConflicts = (state: DcmSession, batch: DcmBatch) =>
  conflictsIn(state, batch).map((conflict) => describeConflict(state, conflict));

/** Groups by subtask, because two agents of one type can conflict too. */
function conflictsIn(state: DcmSession, batch: DcmBatch): readonly DcmConflict[] {
  const subtasks = subtasksOfBatch(state, batch);
  return [...fileConflicts(subtasks), ...subtasks.flatMap((subtask) => dependencyConflict(state, subtask))];
}

function fileConflicts(subtasks: readonly DcmSubtask[]): readonly DcmConflict[] {
  const changes = subtasks.flatMap((subtask) => filesOf(subtask).map((file) => ({ file, subtask })));
  return [...Map.groupBy(changes, ({ file }) => file)]
    .filter(([, by]) => by.length > 1)
    .map(([file, by]) => ({ type: 'file_conflict', subtasks: by.map(({ subtask }) => subtask.id), file }));
}

function dependencyConflict(state: DcmSession, waiting: DcmSubtask): readonly DcmConflict[] {
  const failed = waiting.blockedBy.filter((id) => subtaskOf(state, id)?.progress.status === 'failed');
  return failed.length === 0 ? [] : [{ type: 'dependency_conflict', subtasks: [waiting.id, ...failed] }];
}

function describeConflict(state: DcmSession, conflict: DcmConflict) {
  const { type, subtasks } = conflict;
  const involved = subtasks.flatMap((id) => subtaskOf(state, id) ?? []);
  const agents = involved.map(({ agentType }) => agentType);
  if (type === 'file_conflict') {
    const description = `Multiple agents modified the same file: ${conflict.file}`;
    return { type, severity: 'high' as const, agents, subtasks, description, files: [conflict.file] };
  }
  const [waiting, ...failed] = involved.map(({ taskId }) => taskId);
  const description = `Blocked task depends on failed task: ${waiting} needs ${failed.join(', ')}`;
  return { type, severity: 'critical' as const, agents, subtasks, description, files: [] };
}

function resultOf(subtask: DcmSubtask) {
  const { progress, result } = subtask;
  if (progress.status !== 'completed' && progress.status !== 'failed') return [];
  const summary = result?.['summary'];
  return [
    {
      agent: subtask.agentType,
      agent_id: subtask.agentId,
      subtask_id: subtask.id,
      status: progress.status,
      files: filesOf(subtask),
      summary: typeof summary === 'string' ? summary : subtask.description,
      duration_ms: Math.max(0, Date.parse(progress.completedAt) - Date.parse(progress.startedAt)),
    },
  ];
}

/** Returns the files that its agent reported, in its result and in its actions. Each has one spelling and occurs once. */
function filesOf({ result, files }: DcmSubtask): readonly string[] {
  const reported: readonly unknown[] = Array.isArray(result?.['files']) ? result['files'] : [];
  const all = [...reported.filter((file) => typeof file === 'string'), ...files];
  return [...new Set(all.map(spelling))].filter((file) => file !== '');
}

const spelling = (path: string): string => {
  const resolved = resolvePath('/', path);
  return path.startsWith('/') ? resolved : resolved.slice(1);
};

/** Returns the results of settled subtasks for the prompt of a later one, in the order of waves. With `wave`, only of waves before it. */
export function resultsBefore({ subtasks }: DcmSession, wave: number | null) {
  return subtasks
    .filter((subtask) => isSubtaskSettled(subtask) && (wave === null || subtask.wave < wave))
    .toSorted((a, b) => a.wave - b.wave)
    .map(({ agentType, progress, description, result }) => ({
      agentType,
      status: progress.status,
      summary: description,
      result:
        result === null ? null : typeof result['summary'] === 'string' ? result['summary'] : JSON.stringify(result),
    }));
}
