import { z } from 'zod';
import { count, time } from './common.ts';

const deepest = 32;

export const sessionId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/, 'is not a session id');
export const externalId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/, 'is not an id');
const waveNumber = z.int().min(0).max(1_000_000);
const text = z.string().min(1).max(20_000);
const name = z.string().min(1).max(200);
const path = z.string().min(1).max(4_096);
/** Free-form; kept as it is. */
const freeForm = z
  .record(z.string(), z.unknown())
  .refine((value) => isShallow(value), `is nested more than ${deepest} levels`);

const subtaskStatus = z.enum(['pending', 'running', 'paused', 'blocked', 'completed', 'failed']);
const stageStatus = z.enum(['pending', 'running', 'completed', 'failed']);
const priority = z.int().min(1).max(10);
const blockedBy = z.array(externalId).max(1_000);

export const batchOrder = z.strictObject({
  session_id: sessionId,
  wave_number: waveNumber,
  tasks: z
    .array(
      z.strictObject({
        task_id: name.meta({ description: 'what the caller calls it' }),
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
  fail_unfinished: z.boolean().default(false).meta({ description: 'gives up what is not finished: it fails' }),
});

export const subtaskChange = z
  .strictObject({
    status: subtaskStatus.optional(),
    result: freeForm.optional().meta({ description: '`files` and `summary` in it go into the synthesis' }),
    agent_id: name.optional(),
    priority: priority.optional(),
    blocked_by: blockedBy.optional(),
    context_snapshot: freeForm.optional(),
    parent_agent_id: z.string().max(200).optional().meta({ description: 'read, not kept' }),
  })
  .refine((change) => Object.keys(change).length > 0, 'names nothing to change');

export const actionReport = z
  .strictObject({
    tool_name: name,
    tool_type: z.enum(['builtin', 'agent', 'skill', 'command', 'mcp']),
    session_id: sessionId.optional(),
    subtask_id: externalId.optional(),
    exit_code: z.int().default(0),
    duration_ms: z.int().min(0).optional(),
    file_paths: z.array(path).max(1_000).default([]),
    input: z.string().optional().meta({ description: 'read, not kept: it may hold secrets' }),
    output: z.string().optional().meta({ description: 'read, not kept: it may hold secrets' }),
    project_path: path.optional().meta({ description: 'read, not kept' }),
  })
  .refine(
    ({ session_id, subtask_id }) => session_id !== undefined || subtask_id !== undefined,
    'needs a session_id or a subtask_id',
  );

const counters = { total_tasks: count, completed_tasks: count, failed_tasks: count };

export const waveDocument = z.strictObject({
  id: externalId,
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
  id: externalId,
  session_id: sessionId,
  wave_number: waveNumber,
  status: stageStatus.meta({ description: '`failed`: completed with subtasks that failed' }),
  ...counters,
  created_at: time,
  subtask_ids: z.array(externalId),
};

export const subtaskDocument = z.strictObject({
  id: externalId,
  task_id: z.string(),
  batch_id: externalId,
  wave_number: waveNumber,
  agent_type: z.string(),
  agent_id: z.string().nullable(),
  description: z.string(),
  status: subtaskStatus,
  priority,
  blocked_by: z.array(externalId),
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
  agents: z.array(z.string()).meta({ description: 'types, in the order of `subtasks`' }),
  subtasks: z.array(externalId),
  description: z.string(),
  files: z.array(z.string()),
});

export const synthesisDocument = z.strictObject({
  summary: z.string(),
  results: z.array(
    z.strictObject({
      agent: z.string(),
      agent_id: z.string().nullable(),
      subtask_id: externalId,
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
  id: externalId,
  session_id: sessionId,
  subtask_id: externalId.nullable(),
  tool_name: z.string(),
  tool_type: z.string(),
  exit_code: z.int(),
  duration_ms: count.nullable(),
});

/** What is nested without end would be too much for whoever reads it later. */
function isShallow(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return false;
    level = level.flatMap((one) => (one !== null && typeof one === 'object' ? Object.values(one) : []));
  }
  return true;
}
