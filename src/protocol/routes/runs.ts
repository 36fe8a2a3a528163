import { z } from 'zod';
import { atQuery, count, digits, id, page, pageQuery } from '../documents/common.ts';
import { need, runDocumentSchema, runSummary, tap, taskSummary, wave, why } from '../documents/run.ts';
import { attempt, conflict, costs, diff, judgement, storedEvent, taskDocument } from '../documents/task.ts';
import { channel, cursor, envelope } from '../envelope.ts';
import { json, shows, type TextAnswer } from '../route.ts';
import { repositoryParams } from './server.ts';

const inRepository = '/v1/repositories/{repository}';
const inRun = `${inRepository}/runs/{run}` as const;

const number = digits(z.int().min(0).max(9_999));
export const runParams = z.strictObject({ repository: id, run: id });
const waveParams = z.strictObject({ ...runParams.shape, wave: number });

const ofRun = { group: 'Runs', params: runParams, query: atQuery } as const;
const list = <S extends z.ZodType>(items: S) => json(z.strictObject({ items: z.array(items) }));

/** A need of a run, with its place. */
const inboxItem = z.strictObject({ repository: id, run: id, ...need.shape });

export const runRoutes = {
  runs: shows(
    {
      path: `${inRepository}/runs`,
      group: 'Runs',
      summary: 'Every run, oldest first',
      params: repositoryParams,
      query: pageQuery,
    },
    json(page(runSummary)),
  ),
  run: shows({ ...ofRun, path: inRun, summary: 'The state of a run and what it waits for' }, json(runDocumentSchema)),
  whyRun: shows(
    { ...ofRun, path: `${inRun}/why`, summary: 'Why the run does not proceed, and the command to run' },
    json(why),
  ),
  waves: shows({ ...ofRun, path: `${inRun}/waves`, summary: 'The waves of a run with their tasks' }, list(wave)),
  wave: shows(
    { group: 'Runs', params: waveParams, query: atQuery, path: `${inRun}/waves/{wave}`, summary: 'One wave' },
    json(wave),
  ),
  tasks: shows({ ...ofRun, path: `${inRun}/tasks`, summary: 'The tasks of a run' }, list(taskSummary)),
  taps: shows(
    { ...ofRun, path: `${inRun}/taps`, summary: 'The taps of a run with their decisions' },
    json(z.record(z.string(), tap)),
  ),
  evidence: shows(
    {
      group: 'Runs',
      params: runParams,
      query: pageQuery,
      path: `${inRun}/evidence`,
      summary: 'All evidence with the verdicts of its gates, in order',
    },
    json(page(judgement)),
  ),
  verdicts: shows(
    { ...ofRun, path: `${inRun}/verdicts`, summary: 'The newest verdict of every gate' },
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
      params: repositoryParams,
      query: pageQuery,
      path: `${inRepository}/events`,
      summary: 'The ledger of a repository, event by event',
    },
    json(page(storedEvent)),
  ),
  inbox: shows(
    {
      path: '/v1/inbox',
      group: 'Runs',
      summary: 'Everything that waits for a person, in every repository',
      refuses: [],
    },
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
      params: repositoryParams,
      summary: 'The sequence number of the last event',
    },
    json(z.strictObject({ seq: count })),
  ),
} as const;

const inTask = `${inRun}/tasks/{task}` as const;
const inAttempt = `${inTask}/attempts/{attempt}` as const;

export const taskParams = z.strictObject({ ...runParams.shape, task: id });
const attemptParams = z.strictObject({
  ...taskParams.shape,
  attempt: digits(z.int().min(1).max(9_999)),
});
const ofTask = { group: 'Tasks', params: taskParams, query: atQuery } as const;
const ofAttempt = { group: 'Tasks', params: attemptParams } as const;
const text: TextAnswer = { status: 200, content: 'text/plain' };
const lines: TextAnswer = { status: 200, content: 'application/jsonl' };

export const taskRoutes = {
  task: shows(
    { ...ofTask, path: inTask, summary: 'A task with its directive, handoff and verdicts' },
    json(taskDocument),
  ),
  diff: shows(
    { ...ofTask, path: `${inTask}/diff`, summary: 'The changes of a task, and the owner of each file' },
    json(diff),
  ),
  attempts: shows(
    { ...ofTask, path: `${inTask}/attempts`, summary: 'Every launch of an agent on a task' },
    list(attempt),
  ),
  attempt: shows({ ...ofAttempt, query: atQuery, path: inAttempt, summary: 'One launch of an agent' }, json(attempt)),
  log: shows(
    { ...ofAttempt, path: `${inAttempt}/log`, summary: 'Its output; `Range: bytes=-65536` returns the end' },
    text,
  ),
  transcript: shows(
    {
      ...ofAttempt,
      path: `${inAttempt}/transcript`,
      summary: 'Its messages and tool calls, one JSON document on each line',
    },
    lines,
  ),
  prompt: shows({ ...ofAttempt, path: `${inAttempt}/prompt`, summary: 'Its prompt' }, text),
  whyTask: shows(
    { ...ofTask, path: `${inTask}/why`, summary: 'Why a task does not proceed, and the command to run' },
    json(why),
  ),
} as const;

export const streamRoutes = {
  watch: shows(
    {
      path: `${inRepository}/events/stream`,
      group: 'Events',
      summary: 'New events as server-sent events; `/v1/stream` sends the same over a WebSocket',
      params: repositoryParams,
      query: z.strictObject({
        after: cursor.optional().meta({ description: 'the last event that you have handled; without it, from now on' }),
        channel: channel.default('global'),
      }),
      refuses: [404, 410, 503],
    },
    { status: 200, events: envelope },
  ),
  asyncapi: shows(
    { path: '/asyncapi.json', group: 'Events', summary: 'The AsyncAPI document of the events', refuses: [] },
    json(z.looseObject({ asyncapi: z.string() })),
  ),
} as const;
