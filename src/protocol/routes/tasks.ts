import { z } from 'zod';
import { atQuery, digits, id } from '../documents/common.ts';
import { why } from '../documents/run.ts';
import { attempt, diff, taskDocument } from '../documents/task.ts';
import { json, shows, type TextAnswer } from '../route.ts';

const group = 'Tasks';
const inTask = '/v1/repositories/{repository}/runs/{run}/tasks/{task}';
const inAttempt = `${inTask}/attempts/{attempt}` as const;

export const taskParams = z.strictObject({ repository: id, run: id, task: id });
const attemptParams = z.strictObject({
  ...taskParams.shape,
  attempt: digits(z.int().min(1).max(9_999)),
});
const ofTask = { group, params: taskParams, query: atQuery } as const;
const ofAttempt = { group, params: attemptParams } as const;
const text: TextAnswer = { status: 200, content: 'text/plain' };
const lines: TextAnswer = { status: 200, content: 'application/jsonl' };
const list = <S extends z.ZodType>(items: S) => json(z.strictObject({ items: z.array(items) }));

export const taskRoutes = {
  task: shows({ ...ofTask, path: inTask, summary: 'All that is known of a task' }, json(taskDocument)),
  diff: shows(
    { ...ofTask, path: `${inTask}/diff`, summary: 'What a task changed, and whose each file is' },
    json(diff),
  ),
  attempts: shows(
    { ...ofTask, path: `${inTask}/attempts`, summary: 'Every launch of an agent on a task' },
    list(attempt),
  ),
  attempt: shows({ ...ofAttempt, query: atQuery, path: inAttempt, summary: 'One launch of an agent' }, json(attempt)),
  log: shows(
    { ...ofAttempt, path: `${inAttempt}/log`, summary: 'What it printed; `Range: bytes=-65536` is its tail' },
    text,
  ),
  transcript: shows(
    { ...ofAttempt, path: `${inAttempt}/transcript`, summary: 'What it said and did, one JSON document on each line' },
    lines,
  ),
  prompt: shows({ ...ofAttempt, path: `${inAttempt}/prompt`, summary: 'What it was told' }, text),
  whyTask: shows({ ...ofTask, path: `${inTask}/why`, summary: 'What keeps a task from going on' }, json(why)),
} as const;
