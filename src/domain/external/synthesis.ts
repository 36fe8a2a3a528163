import { resolvePath } from '../lexical-path.ts';
import { countsOf, subtasksOfBatch } from './counts.ts';
import { type Batch, type Session, type Subtask, subtaskOf } from './session.ts';

export type Conflict = {
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
  readonly conflicts: readonly Conflict[];
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

/** Of a batch whose subtasks are all settled. */
export function synthesize(state: Session, batch: Batch): Synthesis {
  const subtasks = subtasksOfBatch(state, batch);
  const { total, completed, failed } = countsOf(subtasks);
  const results = subtasks.flatMap(resultOf);
  const conflicts = conflictsOf(state, batch);
  const files = [...new Set(subtasks.flatMap(filesOf))];
  const duration = results.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  return {
    summary: `Wave ${batch.wave}: ${completed}/${total} tasks completed. ${files.length} files modified, ${conflicts.length} conflicts.`,
    results,
    conflicts,
    files_changed: files,
    next_wave_ready: state.waves.some(({ number, status }) => number === batch.wave && status === 'completed'),
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

/** By subtask: two agents of one type can be in each other's way as much as any two. */
export function conflictsOf(state: Session, batch: Batch): readonly Conflict[] {
  const subtasks = subtasksOfBatch(state, batch);
  return [...fileConflicts(subtasks), ...subtasks.flatMap((subtask) => dependencyConflict(state, subtask))];
}

function fileConflicts(subtasks: readonly Subtask[]): readonly Conflict[] {
  const changes = subtasks.flatMap((subtask) => filesOf(subtask).map((file) => ({ file, subtask })));
  return [...Map.groupBy(changes, ({ file }) => file)]
    .filter(([, by]) => by.length > 1)
    .map(([file, by]) => ({
      type: 'file_conflict',
      severity: 'high',
      agents: by.map(({ subtask }) => subtask.agentType),
      subtasks: by.map(({ subtask }) => subtask.id),
      description: `Multiple agents modified the same file: ${file}`,
      files: [file],
    }));
}

function dependencyConflict(state: Session, waiting: Subtask): readonly Conflict[] {
  const failed = waiting.blockedBy.flatMap((id) => {
    const blocker = subtaskOf(state, id);
    return blocker?.progress.status === 'failed' ? [blocker] : [];
  });
  if (failed.length === 0) return [];
  return [
    {
      type: 'dependency_conflict',
      severity: 'critical',
      agents: [waiting, ...failed].map(({ agentType }) => agentType),
      subtasks: [waiting, ...failed].map(({ id }) => id),
      description: `Blocked task depends on failed task: ${waiting.taskId} needs ${failed.map(({ taskId }) => taskId).join(', ')}`,
      files: [],
    },
  ];
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

/** As its agent reported them, each once and by one spelling. */
function filesOf({ result }: Subtask): readonly string[] {
  const files = result?.['files'];
  if (!Array.isArray(files)) return [];
  return [...new Set(files.filter((file) => typeof file === 'string').map(spelling))].filter((file) => file !== '');
}

const spelling = (path: string): string => {
  const resolved = resolvePath('/', path);
  return path.startsWith('/') ? resolved : resolved.slice(1);
};
