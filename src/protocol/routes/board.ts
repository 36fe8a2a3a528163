import { z } from 'zod';
import { recordActs } from '../../domain/board/acts.ts';
import { recordStatuses, routeReasons } from '../../domain/board/board.ts';
import { confidences, priorities, recordKinds, severities } from '../../domain/board/kinds.ts';
import { policy } from '../../domain/settings/policy.ts';
import { atQuery, id } from '../documents/common.ts';
import { does, json, shows } from '../route.ts';
import { accepted } from './commands.ts';
import { runParams } from './runs.ts';
import { repositoryParams } from './server.ts';

const group = 'Board';
const abovePath = '/v1/repositories/{repository}/board';
const aboveParams = z.strictObject({
  ...repositoryParams.shape,
  record: z.string().regex(/^[0-9]{1,9}$/, 'is not a record'),
});
const path = '/v1/repositories/{repository}/runs/{run}/board';
const recordParams = z.strictObject({
  ...runParams.shape,
  record: z.string().regex(/^[0-9]{1,9}$/, 'is not a record'),
});

const recordKind = z.enum(recordKinds).meta({
  description:
    'questions, requests, blockers, contradictions and escalations wait for somebody; the other kinds do not',
});
const recordText = z.string().regex(/\S/, 'is empty').max(policy.recordCharacters);

const references = z.array(z.string()).meta({
  description:
    '`path:…`, `component:…`, `task:…` or `record:…`; on input a number is a record and any other text a path',
});
const dependsOn = z.array(z.string()).meta({ description: 'records that have to be settled first' });
const closureCondition = z.string().meta({ description: 'says in words when the record is settled' });
const said = z.strictObject({
  text: z.string(),
  person: z.string().optional(),
  task: id.optional().meta({ description: 'instead of `person`: the task whose agent said it' }),
});

const unacknowledged = z
  .strictObject({ cycle: z.int(), most: z.int(), seconds: z.number() })
  .optional()
  .meta({ description: 'set when nobody acknowledged a question for so many seconds, for the first or second time' });

export const boardRecord = z.strictObject({
  id: z.string(),
  kind: recordKind,
  status: z
    .enum(recordStatuses)
    .meta({ description: 'open, acknowledged and in-progress wait for somebody; the others are over' }),
  target: id.meta({ description: 'a task, `person` or `all`' }),
  text: z.string(),
  severity: z
    .enum(severities)
    .optional()
    .meta({ description: 'normal, if absent; nothing lands while a critical question is open' }),
  from: z
    .union([z.strictObject({ task: id, attempt: z.string() }), z.strictObject({ person: z.string() })])
    .meta({ description: 'for a task: the attempt whose channel the record came through, whatever its text claims' }),
  answer: said.optional(),
  reason: said.optional().meta({ description: 'of the last act that gave one' }),
  references: references.optional(),
  dependsOn: dependsOn.optional(),
  closureCondition: closureCondition.optional(),
  priority: z.enum(priorities).optional(),
  confidence: z.enum(confidences).optional(),
  at: z.string().optional().meta({ description: 'when it was posted' }),
  of: z.string().optional().meta({ description: 'the record that it follows up; they are settled together' }),
  repository: z
    .string()
    .optional()
    .meta({ description: "the record of the repository's board that the run took over; it is settled there" }),
  route: z
    .strictObject({ asked: z.string(), reason: z.enum(routeReasons), unacknowledged })
    .optional()
    .meta({ description: 'the target that was asked for, if another one got it, and why' }),
  tasks: z.array(id).optional().meta({ description: 'guidance for a capability: the tasks that have it, of all' }),
  helped: z.int().optional().meta({ description: 'times that its task was started again for it' }),
  setAside: z
    .enum(['deferred', 'stale'])
    .optional()
    .meta({ description: 'a person decided that it blocks nothing, although it is open' }),
});

const post = z.strictObject({
  kind: z.enum(recordKinds).default('note').meta({ description: 'a kind that people may post' }),
  text: recordText,
  severity: z.enum(severities).optional(),
  references: references.optional(),
  dependsOn: dependsOn.optional(),
  closureCondition: closureCondition.optional(),
  priority: z.enum(priorities).optional(),
  confidence: z.enum(confidences).optional(),
});
const answered = z.strictObject({
  text: recordText.nullable().meta({ description: 'null: close it without an answer' }),
});
const acted = z.strictObject({
  act: z.enum(recordActs),
  text: recordText.optional().meta({ description: 'the answer or the reason' }),
  to: id.optional().meta({ description: 'for reassign: a task or `person`' }),
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
    post.extend({
      target: z.string().optional().meta({
        description:
          'a task, `owner` (of what it refers to), `capability:<name>`, `person` or `all`; a request needs one, a blocker is for a person without one, anything else for all',
      }),
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
    answered,
    json(accepted, 202),
  ),
  actOnRecord: does(
    {
      group,
      path: `${path}/{record}/act`,
      params: recordParams,
      role: 'approve',
      summary: 'Act on an open record of the board',
    },
    acted,
    json(accepted, 202),
  ),
  boardAbove: shows(
    {
      group,
      path: abovePath,
      params: repositoryParams,
      summary: 'The board of the repository, and open records of runs that have ended',
    },
    json(
      z.strictObject({
        items: z.array(boardRecord),
        outlived: z
          .array(boardRecord.extend({ run: id }))
          .meta({ description: 'open records for people on the boards of runs that have ended; answer them there' }),
      }),
    ),
  ),
  postAbove: does(
    { group, path: abovePath, params: repositoryParams, role: 'approve', summary: 'Write to the agents of all runs' },
    post.extend({ target: z.enum(['all', 'person']).default('all') }),
    json(accepted, 202),
  ),
  answerRecordAbove: does(
    {
      group,
      path: `${abovePath}/{record}/answer`,
      params: aboveParams,
      role: 'approve',
      summary: "Answer an open record of the repository's board",
    },
    answered,
    json(accepted, 202),
  ),
  actOnRecordAbove: does(
    {
      group,
      path: `${abovePath}/{record}/act`,
      params: aboveParams,
      role: 'approve',
      summary: "Act on an open record of the repository's board",
    },
    acted,
    json(accepted, 202),
  ),
} as const;
