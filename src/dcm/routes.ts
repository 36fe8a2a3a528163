import { z } from 'zod';
import { atQuery, count, repositoryQuery, sessionId } from '../protocol/documents/common.ts';
import { does, json, nothing, shows } from '../protocol/route.ts';
import {
  actionDocument,
  actionReport,
  batchDocument,
  batchOrder,
  completion,
  conflictDocument,
  dcmId,
  submittedBatch,
  subtaskChange,
  subtaskDocument,
  synthesisDocument,
  waveChoice,
  waveDocument,
  waveOrder,
} from './documents.ts';

const params = { batch: z.strictObject({ batch: dcmId }), session: z.strictObject({ session: sessionId }) };
const changing = { group: 'DCM', query: repositoryQuery, role: 'operate' } as const;
const showing = {
  group: 'DCM',
  query: z.strictObject({ ...repositoryQuery.shape, ...atQuery.shape }),
  // 409: the request does not say which repository it is about
  refuses: [404, 409],
} as const;
const success = z.literal(true);
const oneWave = z.strictObject({ success, wave: waveDocument });

/** The API that DCM documents, path for path, over the sessions in the ledger of one repository. */
export const dcmRoutes = {
  submitBatch: does(
    { ...changing, path: '/api/orchestration/batch-submit', summary: 'Submit tasks to a wave' },
    batchOrder,
    json(z.strictObject({ success, batch: submittedBatch }), 201),
  ),
  batch: shows(
    {
      ...showing,
      path: '/api/orchestration/batch/{batch}',
      summary: 'A batch with its subtasks',
      params: params.batch,
    },
    json(z.strictObject({ batch: batchDocument })),
  ),
  completeBatch: does(
    {
      ...changing,
      path: '/api/orchestration/batch/{batch}/complete',
      summary: 'Complete a batch and return its synthesis',
      params: params.batch,
    },
    completion,
    json(z.strictObject({ success, synthesis: synthesisDocument })),
  ),
  synthesis: shows(
    {
      ...showing,
      path: '/api/orchestration/synthesis/{batch}',
      summary: 'The synthesis of a completed batch',
      params: params.batch,
    },
    json(synthesisDocument),
  ),
  batchConflicts: shows(
    {
      ...showing,
      path: '/api/orchestration/conflicts/{batch}',
      summary: 'Conflicts between the subtasks of a batch',
      params: params.batch,
    },
    json(z.strictObject({ batch_id: dcmId, conflicts: z.array(conflictDocument), conflict_count: count })),
  ),
  createWave: does(
    {
      ...changing,
      path: '/api/waves/{session}/create',
      summary: 'Create a wave; an existing number is the same wave',
      params: params.session,
    },
    waveOrder,
    json(oneWave, 201),
  ),
  startWave: does(
    {
      ...changing,
      path: '/api/waves/{session}/start',
      summary: 'Start a wave; waves start in order',
      params: params.session,
    },
    waveChoice,
    json(oneWave),
  ),
  currentWave: shows(
    {
      ...showing,
      path: '/api/waves/{session}/current',
      summary: 'The running wave, else the highest pending one',
      params: params.session,
    },
    json(z.strictObject({ wave: waveDocument })),
  ),
  waveHistory: shows(
    { ...showing, path: '/api/waves/{session}/history', summary: 'All waves, by number', params: params.session },
    json(z.strictObject({ waves: z.array(waveDocument), count })),
  ),
  transition: does(
    {
      ...changing,
      path: '/api/waves/{session}/transition',
      summary: 'Start the wave after the last completed one',
      params: params.session,
    },
    nothing,
    json(oneWave),
  ),
  updateSubtask: does(
    {
      ...changing,
      method: 'PATCH',
      path: '/api/subtasks/{subtask}',
      summary: 'Change the status, result or blockers of a subtask',
      params: z.strictObject({ subtask: dcmId }),
    },
    subtaskChange,
    json(z.strictObject({ success, subtask: subtaskDocument })),
  ),
  recordAction: does(
    { ...changing, path: '/api/actions', summary: 'Record one use of a tool' },
    actionReport,
    json(z.strictObject({ success, action: actionDocument }), 201),
  ),
} as const;
