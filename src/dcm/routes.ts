import { z } from 'zod';
import { atQuery, count, id } from '../protocol/documents/common.ts';
import { does, json, nothing, shows } from '../protocol/route.ts';
import {
  actionDocument,
  actionReport,
  batchDocument,
  batchOrder,
  completion,
  conflictDocument,
  externalId,
  sessionId,
  submittedBatch,
  subtaskChange,
  subtaskDocument,
  synthesisDocument,
  waveChoice,
  waveDocument,
  waveOrder,
} from './documents.ts';

const group = 'DCM';
const batch = z.strictObject({ batch: externalId });
const session = z.strictObject({ session: sessionId });
export const whichRepository = z.strictObject({
  repository: id.optional().meta({ description: 'where the server was not started in one and knows several' }),
});
const query = whichRepository;
/** Of what only shows. */
const then = z.strictObject({ ...query.shape, ...atQuery.shape });
/** 409: it cannot be told which repository is meant. */
const refuses = [404, 409] as const;
const success = z.literal(true);
const oneWave = json(z.strictObject({ success, wave: waveDocument }));

/** The API that DCM documents, path for path, over sessions in the ledger of one repository. */
export const dcmRoutes = {
  submitBatch: does(
    { path: '/api/orchestration/batch-submit', group, summary: 'Submit tasks to a wave', query, role: 'operate' },
    batchOrder,
    json(z.strictObject({ success, batch: submittedBatch }), 201),
  ),
  batch: shows(
    {
      path: '/api/orchestration/batch/{batch}',
      group,
      summary: 'A batch with its subtasks',
      params: batch,
      query: then,
      refuses,
    },
    json(z.strictObject({ batch: batchDocument })),
  ),
  completeBatch: does(
    {
      path: '/api/orchestration/batch/{batch}/complete',
      group,
      summary: 'Complete a batch and put together what came of it',
      params: batch,
      query,
      role: 'operate',
    },
    completion,
    json(z.strictObject({ success, synthesis: synthesisDocument })),
  ),
  synthesis: shows(
    {
      path: '/api/orchestration/synthesis/{batch}',
      group,
      summary: 'What came of a completed batch, and nothing else',
      params: batch,
      query: then,
      refuses,
    },
    json(synthesisDocument),
  ),
  batchConflicts: shows(
    {
      path: '/api/orchestration/conflicts/{batch}',
      group,
      summary: 'Where the subtasks of a batch are in each other’s way',
      params: batch,
      query: then,
      refuses,
    },
    json(z.strictObject({ batch_id: externalId, conflicts: z.array(conflictDocument), conflict_count: count })),
  ),
  createWave: does(
    {
      path: '/api/waves/{session}/create',
      group,
      summary: 'Make a wave; the same number again is the same wave',
      params: session,
      query,
      role: 'operate',
    },
    waveOrder,
    json(z.strictObject({ success, wave: waveDocument }), 201),
  ),
  startWave: does(
    {
      path: '/api/waves/{session}/start',
      group,
      summary: 'Start a wave; none overtakes another',
      params: session,
      query,
      role: 'operate',
    },
    waveChoice,
    oneWave,
  ),
  currentWave: shows(
    {
      path: '/api/waves/{session}/current',
      group,
      summary: 'The wave that is running, else the latest that is pending',
      params: session,
      query: then,
      refuses,
    },
    json(z.strictObject({ wave: waveDocument })),
  ),
  waveHistory: shows(
    {
      path: '/api/waves/{session}/history',
      group,
      summary: 'All waves, by number',
      params: session,
      query: then,
      refuses,
    },
    json(z.strictObject({ waves: z.array(waveDocument), count })),
  ),
  transition: does(
    {
      path: '/api/waves/{session}/transition',
      group,
      summary: 'Start the wave after the one that was completed last',
      params: session,
      query,
      role: 'operate',
    },
    nothing,
    oneWave,
  ),
  updateSubtask: does(
    {
      method: 'PATCH',
      path: '/api/subtasks/{subtask}',
      group,
      summary: 'Change a subtask: its status, its result, what blocks it',
      params: z.strictObject({ subtask: externalId }),
      query,
      role: 'operate',
    },
    subtaskChange,
    json(z.strictObject({ success, subtask: subtaskDocument })),
  ),
  recordAction: does(
    { path: '/api/actions', group, summary: 'Record one use of a tool', query, role: 'operate' },
    actionReport,
    json(z.strictObject({ success, action: actionDocument }), 201),
  ),
} as const;
