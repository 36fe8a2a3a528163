import { z } from 'zod';
import { count, sessionId, time } from '../protocol/documents/common.ts';
import {
  batchStatus,
  countsOf,
  type DcmBatch,
  type DcmSession,
  type DcmSubtask,
  type DcmWave,
  subtasksOfBatch,
  subtasksOfWave,
} from './session.ts';

const deepest = 32;

export const dcmId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/, 'is not an id');
const waveNumber = z.int().min(0).max(1_000_000);
const text = z.string().min(1).max(20_000);
const name = z.string().min(1).max(200);
const path = z.string().min(1).max(4_096);
/** Any JSON object; kept as it is. */
const freeForm = z
  .record(z.string(), z.unknown())
  .refine((value) => isShallow(value), `is nested more than ${deepest} levels`);

const subtaskStatus = z.enum(['pending', 'running', 'paused', 'blocked', 'completed', 'failed']);
const stageStatus = z.enum(['pending', 'running', 'completed', 'failed']);
const priority = z.int().min(1).max(10);
const blockedBy = z.array(dcmId).max(1_000);

export const batchOrder = z.strictObject({
  session_id: sessionId,
  wave_number: waveNumber,
  tasks: z
    .array(
      z.strictObject({
        task_id: name.meta({ description: 'your name for the task' }),
        agent_type: name,
        description: text,
        priority: priority.default(5),
        agent_id: name.optional(),
        blocked_by: z
          .array(name)
          .max(1_000)
          .default([])
          .meta({ description: 'ids of subtasks of this session, or a `task_id` of this batch' }),
        context_snapshot: freeForm.optional(),
      }),
    )
    .min(1)
    .max(5_000),
});

export const waveOrder = z.strictObject({
  wave_number: waveNumber,
  name: name.optional(),
  description: text.optional(),
});
export const waveChoice = z.strictObject({ wave_number: waveNumber });
export const completion = z.strictObject({
  fail_unfinished: z.boolean().default(false).meta({ description: 'fail the subtasks that are not finished' }),
});

export const subtaskChange = z
  .strictObject({
    status: subtaskStatus.optional(),
    result: freeForm.optional().meta({ description: 'its `files` and `summary` go into the synthesis' }),
    agent_id: name.optional(),
    priority: priority.optional(),
    blocked_by: blockedBy.optional(),
    context_snapshot: freeForm.optional(),
    parent_agent_id: z.string().max(200).optional().meta({ description: 'accepted and not kept' }),
  })
  .refine((change) => Object.keys(change).length > 0, 'changes nothing');

export const actionReport = z
  .strictObject({
    tool_name: name,
    tool_type: z.enum(['builtin', 'agent', 'skill', 'command', 'mcp']),
    session_id: sessionId.optional(),
    subtask_id: dcmId.optional(),
    exit_code: z.int().default(0),
    duration_ms: z.int().min(0).optional(),
    file_paths: z.array(path).max(1_000).default([]),
    input: z.string().optional().meta({ description: 'not kept, because it may hold secrets' }),
    output: z.string().optional().meta({ description: 'not kept, because it may hold secrets' }),
    project_path: path.optional().meta({ description: 'accepted and not kept' }),
  })
  .refine(
    ({ session_id, subtask_id }) => session_id !== undefined || subtask_id !== undefined,
    'needs a session_id or a subtask_id',
  );

const counters = { total_tasks: count, completed_tasks: count, failed_tasks: count };

export const waveDocument = z.strictObject({
  id: dcmId,
  session_id: sessionId,
  wave_number: waveNumber,
  status: stageStatus,
  ...counters,
  started_at: time.nullable(),
  completed_at: time.nullable(),
  name: z.string().nullable(),
  description: z.string().nullable(),
});

const batchHead = {
  id: dcmId,
  session_id: sessionId,
  wave_number: waveNumber,
  status: stageStatus.meta({ description: '`failed`: completed with subtasks that failed' }),
  ...counters,
  created_at: time,
  subtask_ids: z.array(dcmId),
};

export const subtaskDocument = z.strictObject({
  id: dcmId,
  task_id: z.string(),
  batch_id: dcmId,
  wave_number: waveNumber,
  agent_type: z.string(),
  agent_id: z.string().nullable(),
  description: z.string(),
  status: subtaskStatus,
  priority,
  blocked_by: z.array(dcmId),
  context_snapshot: freeForm.nullable(),
  result: freeForm.optional(),
  created_at: time,
  started_at: time.optional(),
  completed_at: time.optional(),
});

export const submittedBatch = z.strictObject(batchHead);
export const batchDocument = z.strictObject({
  ...batchHead,
  completed_at: time.optional(),
  subtasks: z.array(subtaskDocument),
});

export const conflictDocument = z.strictObject({
  type: z.enum(['file_conflict', 'dependency_conflict']),
  severity: z.enum(['high', 'critical']),
  agents: z.array(z.string()).meta({ description: 'agent types, in the order of `subtasks`' }),
  subtasks: z.array(dcmId),
  description: z.string(),
  files: z.array(z.string()),
});

export const synthesisDocument = z.strictObject({
  summary: z.string(),
  results: z.array(
    z.strictObject({
      agent: z.string(),
      agent_id: z.string().nullable(),
      subtask_id: dcmId,
      status: z.enum(['completed', 'failed']),
      files: z.array(z.string()),
      summary: z.string(),
      duration_ms: count,
    }),
  ),
  conflicts: z.array(conflictDocument),
  files_changed: z.array(z.string()),
  next_wave_ready: z.boolean(),
  tokens_saved: count,
  stats: z.strictObject({
    total_tasks: count,
    completed: count,
    failed: count,
    files_modified: count,
    avg_duration_ms: count,
    total_duration_ms: count,
  }),
});

export const actionDocument = z.strictObject({
  id: dcmId,
  session_id: sessionId,
  subtask_id: dcmId.nullable(),
  tool_name: z.string(),
  tool_type: z.string(),
  exit_code: z.int(),
  duration_ms: count.nullable(),
});

/** Deep nesting would break programs that read the value recursively. */
function isShallow(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return false;
    level = level.flatMap((one) => (one !== null && typeof one === 'object' ? Object.values(one) : []));
  }
  return true;
}

export const showWave = (state: DcmSession, wave: DcmWave) => ({
  id: wave.id,
  session_id: state.session,
  wave_number: wave.number,
  status: wave.status,
  ...countersOf(subtasksOfWave(state, wave.number)),
  started_at: 'startedAt' in wave ? wave.startedAt : null,
  completed_at: 'completedAt' in wave ? wave.completedAt : null,
  name: wave.name,
  description: wave.description,
});

export const showSubmittedBatch = (state: DcmSession, batch: DcmBatch) => ({
  id: batch.id,
  session_id: state.session,
  wave_number: batch.wave,
  status: batchStatus(state, batch),
  ...countersOf(subtasksOfBatch(state, batch)),
  created_at: batch.createdAt,
  subtask_ids: batch.subtasks,
});

/** The most important subtask comes first. */
export const showBatch = (state: DcmSession, batch: DcmBatch) => ({
  ...showSubmittedBatch(state, batch),
  ...(batch.end === null ? {} : { completed_at: batch.end.at }),
  subtasks: subtasksOfBatch(state, batch)
    .toSorted((a, b) => b.priority - a.priority)
    .map(showSubtask),
});

export const showSubtask = ({ progress, result, ...subtask }: DcmSubtask) => ({
  id: subtask.id,
  task_id: subtask.taskId,
  batch_id: subtask.batch,
  wave_number: subtask.wave,
  agent_type: subtask.agentType,
  agent_id: subtask.agentId,
  description: subtask.description,
  status: progress.status,
  priority: subtask.priority,
  blocked_by: subtask.blockedBy,
  context_snapshot: subtask.context,
  ...(result === null ? {} : { result }),
  created_at: subtask.createdAt,
  ...(progress.startedAt === null ? {} : { started_at: progress.startedAt }),
  ...('completedAt' in progress ? { completed_at: progress.completedAt } : {}),
});

function countersOf(subtasks: readonly DcmSubtask[]) {
  const { total, completed, failed } = countsOf(subtasks);
  return { total_tasks: total, completed_tasks: completed, failed_tasks: failed };
}
