import { z } from 'zod';
import { atQuery, count, digits, id, page, pageQuery } from '../documents/common.ts';
import { need, runDocumentSchema, runSummary, tap, taskSummary, wave, why } from '../documents/run.ts';
import { conflict, costs, judgement, storedEvent } from '../documents/task.ts';
import { json, shows } from '../route.ts';

const group = 'Runs';
const inRepository = '/v1/repositories/{repository}';
const inRun = `${inRepository}/runs/{run}` as const;

const number = digits(z.int().min(0).max(9_999));
export const inRepositoryParams = z.strictObject({ repository: id });
export const runParams = z.strictObject({ repository: id, run: id });
const waveParams = z.strictObject({ ...runParams.shape, wave: number });

const ofRun = { group, params: runParams, query: atQuery } as const;
const list = <S extends z.ZodType>(items: S) => json(z.strictObject({ items: z.array(items) }));

/** What waits for a person, with where. */
const inboxItem = z.strictObject({ repository: id, run: id, ...need.shape });

export const runRoutes = {
  runs: shows(
    {
      path: `${inRepository}/runs`,
      group,
      summary: 'Every run, oldest first',
      params: inRepositoryParams,
      query: pageQuery,
    },
    json(page(runSummary)),
  ),
  run: shows({ ...ofRun, path: inRun, summary: 'Where a run stands and what it waits for' }, json(runDocumentSchema)),
  whyRun: shows({ ...ofRun, path: `${inRun}/why`, summary: 'The one thing in the way, and what to type' }, json(why)),
  waves: shows({ ...ofRun, path: `${inRun}/waves`, summary: 'The waves of a run with their tasks' }, list(wave)),
  wave: shows(
    { group, params: waveParams, query: atQuery, path: `${inRun}/waves/{wave}`, summary: 'One wave' },
    json(wave),
  ),
  tasks: shows({ ...ofRun, path: `${inRun}/tasks`, summary: 'The tasks of a run' }, list(taskSummary)),
  taps: shows(
    { ...ofRun, path: `${inRun}/taps`, summary: 'Where a person decides, and what was decided' },
    json(z.record(z.string(), tap)),
  ),
  evidence: shows(
    {
      group,
      params: runParams,
      query: pageQuery,
      path: `${inRun}/evidence`,
      summary: 'What was seen and what the gates said of it, in order',
    },
    json(page(judgement)),
  ),
  verdicts: shows(
    { ...ofRun, path: `${inRun}/verdicts`, summary: 'The last word of every gate' },
    list(judgement.omit({ evidence: true })),
  ),
  conflicts: shows(
    { ...ofRun, path: `${inRun}/conflicts`, summary: 'Files that could not be integrated' },
    list(conflict),
  ),
  costs: shows({ ...ofRun, path: `${inRun}/costs`, summary: 'Turns, tokens and money' }, json(costs)),
  runEvents: shows(
    {
      group: 'Events',
      params: runParams,
      query: pageQuery,
      path: `${inRun}/events`,
      summary: 'The ledger of one run, event by event',
    },
    json(page(storedEvent)),
  ),
  events: shows(
    {
      group: 'Events',
      params: inRepositoryParams,
      query: pageQuery,
      path: `${inRepository}/events`,
      summary: 'The ledger of a repository, event by event',
    },
    json(page(storedEvent)),
  ),
  inbox: shows(
    { path: '/v1/inbox', group: 'Runs', summary: 'All that waits for a person, in every repository', refuses: [] },
    json(
      z.strictObject({
        items: z.array(inboxItem),
        problems: z.array(z.strictObject({ repository: id, detail: z.string() })),
      }),
    ),
  ),
  head: shows(
    {
      path: `${inRepository}/head`,
      group: 'Events',
      params: inRepositoryParams,
      summary: 'The sequence number of the last event',
    },
    json(z.strictObject({ seq: count })),
  ),
} as const;
