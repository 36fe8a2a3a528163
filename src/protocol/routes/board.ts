import { z } from 'zod';
import { boardRecord, recordKind, recordText } from '../documents/board.ts';
import { atQuery, id } from '../documents/common.ts';
import { does, json, shows } from '../route.ts';
import { accepted } from './commands.ts';
import { runParams } from './runs.ts';

const group = 'Board';
const path = '/v1/repositories/{repository}/runs/{run}/board';
const recordParams = z.strictObject({ ...runParams.shape, record: z.string().regex(/^[0-9]{1,9}$/, 'is no record') });

export const boardRoutes = {
  board: shows(
    {
      group,
      path,
      params: runParams,
      query: atQuery,
      summary: 'What agents and people of a run wrote to one another, in order',
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
      summary: 'Answer what is open on the board',
    },
    z.strictObject({ text: recordText.nullable().meta({ description: 'null: close it without an answer' }) }),
    json(accepted, 202),
  ),
} as const;
