import { z } from 'zod';
import { recordKinds, severities } from '../../domain/board/board.ts';
import { policy } from '../../domain/settings/policy.ts';
import { atQuery, id } from '../documents/common.ts';
import { does, json, shows } from '../route.ts';
import { accepted } from './commands.ts';
import { runParams } from './runs.ts';

const group = 'Board';
const path = '/v1/repositories/{repository}/runs/{run}/board';
const recordParams = z.strictObject({
  ...runParams.shape,
  record: z.string().regex(/^[0-9]{1,9}$/, 'is not a record'),
});

const recordKind = z
  .enum(recordKinds)
  .meta({ description: 'questions and requests wait for an answer; the other kinds do not' });
const recordText = z.string().regex(/\S/, 'is empty').max(policy.recordCharacters);

export const boardRecord = z.strictObject({
  id: z.string(),
  kind: recordKind,
  status: z.enum(['open', 'answered', 'closed']),
  target: id.meta({ description: 'a task, `person` or `all`' }),
  text: z.string(),
  severity: z
    .enum(severities)
    .optional()
    .meta({ description: 'normal, if absent; nothing lands while a critical question is open' }),
  from: z
    .union([z.strictObject({ task: id, attempt: z.string() }), z.strictObject({ person: z.string() })])
    .meta({ description: 'for a task: the attempt whose channel the record came through, whatever its text claims' }),
  answer: z.strictObject({ text: z.string(), person: z.string() }).optional(),
});

export const boardRoutes = {
  board: shows(
    {
      group,
      path,
      params: runParams,
      query: atQuery,
      summary: 'All records that agents and people of a run wrote, in order',
    },
    json(z.strictObject({ items: z.array(boardRecord) })),
  ),
  post: does(
    { group, path, params: runParams, role: 'approve', summary: 'Write to the agents of a run, or to people' },
    z.strictObject({
      kind: recordKind.default('note'),
      target: id.default('all').meta({ description: 'a task, `person` or `all`' }),
      text: recordText,
    }),
    json(accepted, 202),
  ),
  answerRecord: does(
    {
      group,
      path: `${path}/{record}/answer`,
      params: recordParams,
      role: 'approve',
      summary: 'Answer an open record of the board',
    },
    z.strictObject({ text: recordText.nullable().meta({ description: 'null: close it without an answer' }) }),
    json(accepted, 202),
  ),
} as const;
