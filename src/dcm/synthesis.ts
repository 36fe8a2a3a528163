import { resolvePath } from '../domain/base/lexical-path.ts';
import type { BatchResult, SessionConflict } from '../domain/ledger/dcm-events.ts';
import { countsOf, subtasksOfBatch } from './counts.ts';
import { type Batch, type Session, type Subtask, subtaskOf } from './session.ts';

export type SynthesisConflict = {
  readonly type: 'file_conflict' | 'dependency_conflict';
  readonly severity: 'high' | 'critical';
  /** Their types, in the order of `subtasks`. */
  readonly agents: readonly string[];
  readonly subtasks: readonly string[];
  readonly description: string;
  readonly files: readonly string[];
};

/** What came of a batch. The names are those of DCM's documents: it is shown as it is. */
export type Synthesis = {
  readonly summary: string;
  readonly results: readonly {
    readonly agent: string;
    readonly agent_id: string | null;
    readonly subtask_id: string;
    readonly status: 'completed' | 'failed';
    readonly files: readonly string[];
    readonly summary: string;
    readonly duration_ms: number;
  }[];
  readonly conflicts: readonly SynthesisConflict[];
  readonly files_changed: readonly string[];
  readonly next_wave_ready: boolean;
  readonly tokens_saved: number;
  readonly stats: {
    readonly total_tasks: number;
    readonly completed: number;
    readonly failed: number;
    readonly files_modified: number;
    readonly avg_duration_ms: number;
    readonly total_duration_ms: number;
  };
};

/** What is decided of a batch whose subtasks are all settled. */
export function resultsOf(state: Session, batch: Batch): BatchResult {
  const subtasks = subtasksOfBatch(state, batch);
  return {
    files: [...new Set(subtasks.flatMap(filesOf))],
    conflicts: conflictsIn(state, batch),
    nextWaveReady: state.waves.some(({ number, status }) => number === batch.wave && status === 'completed'),
  };
}

/** Null until it was completed. */
export function synthesisOf(state: Session, batch: Batch): Synthesis | null {
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

/** As things stand, whether or not the batch was completed. */
export const batchConflicts = (state: Session, batch: Batch): readonly SynthesisConflict[] =>
  conflictsIn(state, batch).map((conflict) => describeConflict(state, conflict));

/** By subtask: two agents of one type can be in each other's way as much as any two. */
function conflictsIn(state: Session, batch: Batch): readonly SessionConflict[] {
  const subtasks = subtasksOfBatch(state, batch);
  return [...fileConflicts(subtasks), ...subtasks.flatMap((subtask) => dependencyConflict(state, subtask))];
}

function fileConflicts(subtasks: readonly Subtask[]): readonly SessionConflict[] {
  const changes = subtasks.flatMap((subtask) => filesOf(subtask).map((file) => ({ file, subtask })));
  return [...Map.groupBy(changes, ({ file }) => file)]
    .filter(([, by]) => by.length > 1)
    .map(([file, by]) => ({ type: 'file_conflict', subtasks: by.map(({ subtask }) => subtask.id), file }));
}

function dependencyConflict(state: Session, waiting: Subtask): readonly SessionConflict[] {
  const failed = waiting.blockedBy.filter((id) => subtaskOf(state, id)?.progress.status === 'failed');
  return failed.length === 0 ? [] : [{ type: 'dependency_conflict', subtasks: [waiting.id, ...failed] }];
}

function describeConflict(state: Session, conflict: SessionConflict): SynthesisConflict {
  const { type, subtasks } = conflict;
  const known = subtasks.flatMap((id) => subtaskOf(state, id) ?? []);
  const agents = known.map(({ agentType }) => agentType);
  if (type === 'file_conflict') {
    const description = `Multiple agents modified the same file: ${conflict.file}`;
    return { type, severity: 'high', agents, subtasks, description, files: [conflict.file] };
  }
  const [waiting, ...failed] = known.map(({ taskId }) => taskId);
  const description = `Blocked task depends on failed task: ${waiting} needs ${failed.join(', ')}`;
  return { type, severity: 'critical', agents, subtasks, description, files: [] };
}

function resultOf(subtask: Subtask): Synthesis['results'] {
  const { progress, result } = subtask;
  if (progress.status !== 'completed' && progress.status !== 'failed') return [];
  const told = result?.['summary'];
  return [
    {
      agent: subtask.agentType,
      agent_id: subtask.agentId,
      subtask_id: subtask.id,
      status: progress.status,
      files: filesOf(subtask),
      summary: typeof told === 'string' ? told : subtask.description,
      duration_ms: Math.max(0, Date.parse(progress.completedAt) - Date.parse(progress.startedAt)),
    },
  ];
}

/** As its agent reported them, in its result and by its actions, each once and by one spelling. */
function filesOf({ result, files }: Subtask): readonly string[] {
  const told: readonly unknown[] = Array.isArray(result?.['files']) ? result['files'] : [];
  const all = [...told.filter((file) => typeof file === 'string'), ...files];
  return [...new Set(all.map(spelling))].filter((file) => file !== '');
}

const spelling = (path: string): string => {
  const resolved = resolvePath('/', path);
  return path.startsWith('/') ? resolved : resolved.slice(1);
};
