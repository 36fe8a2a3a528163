import { z } from 'zod';
import * as dcm from '../dcm/documents.ts';
import { by } from '../protocol/documents/common.ts';
import * as run from '../protocol/documents/run.ts';
import * as task from '../protocol/documents/task.ts';
import { envelope } from '../protocol/envelope.ts';
import { problemSchema } from '../protocol/problem.ts';
import { boardRecord } from '../protocol/routes/board.ts';
import { accepted, plan } from '../protocol/routes/commands.ts';
import { repositoryDocument } from '../protocol/routes/server.ts';

/** Documents with a name of their own in the published schemas. */
const documents: Readonly<Record<string, z.ZodType>> = {
  Accepted: accepted,
  Attempt: task.attempt,
  BoardRecord: boardRecord,
  By: by,
  Conflict: task.conflict,
  Cost: task.cost,
  Costs: task.costs,
  DcmAction: dcm.actionDocument,
  DcmBatch: dcm.batchDocument,
  DcmConflict: dcm.conflictDocument,
  DcmSubmittedBatch: dcm.submittedBatch,
  DcmSubtask: dcm.subtaskDocument,
  DcmSynthesis: dcm.synthesisDocument,
  DcmWave: dcm.waveDocument,
  Diff: task.diff,
  Envelope: envelope,
  Finding: task.finding,
  Judgement: task.judgement,
  Need: run.need,
  Plan: plan,
  Problem: problemSchema,
  Repository: repositoryDocument,
  Run: run.runDocumentSchema,
  RunSummary: run.runSummary,
  Spend: run.spend,
  StoredEvent: task.storedEvent,
  Tap: run.tap,
  Task: task.taskDocument,
  TaskStatus: run.taskStatus,
  TaskSummary: run.taskSummary,
  Usage: task.usage,
  Verdict: task.verdict,
  Wave: run.wave,
  Why: run.why,
};

for (const [id, schema] of Object.entries(documents)) schema.register(z.globalRegistry, { ...schema.meta(), id });
