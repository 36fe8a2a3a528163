import { z } from 'zod';
import { id } from '../documents/common.ts';
import { finding } from '../documents/task.ts';
import { type AccessRole, does, json } from '../route.ts';
import { inRepositoryParams, runParams } from './runs.ts';
import { taskParams } from './tasks.ts';

const group = 'Commands';
const inRepository = '/v1/repositories/{repository}';
const inRun = `${inRepository}/runs/{run}` as const;
const inTask = `${inRun}/tasks/{task}` as const;

const path = z.string().min(1).max(500);
const message = z.string().trim().min(1).max(20_000);
const hash = z
  .string()
  .regex(/^[0-9a-f]{8,64}$/)
  .meta({
    description: 'of the plan that is decided about, or its beginning: a decision about another one is refused',
  });
const usd = z.number().positive().max(1_000_000);
const none = z.strictObject({});

/** What was asked for was recorded and taken; what comes of it is seen in the run. */
export const accepted = z.strictObject({
  run: id,
  accepted: z.literal(true),
  seq: z.int().meta({ description: 'of the request' }),
});

export const plan = z.strictObject({
  planFile: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'from the root of the checkout; without any plan the usual file' }),
  plan: z.string().min(1).max(500_000).optional().meta({ description: 'the plan itself, as YAML' }),
  tasks: z
    .array(z.array(z.string().trim().min(1).max(20_000)).min(1).max(100))
    .min(1)
    .max(50)
    .optional()
    .meta({ description: 'waves of tasks, each what to do: as `tidegate go` takes them' }),
  agent: z.string().max(200).optional().meta({ description: 'with `tasks`: who does them' }),
  model: z.string().trim().min(1).max(200).optional().meta({ description: 'with `tasks`: the model of all of them' }),
  wave: z.int().min(0).max(9_999).optional().meta({ description: 'only this one' }),
  focus: z.string().trim().min(1).max(2_000).optional(),
  land: z.enum(['auto', 'branch']).optional().meta({ description: 'instead of asking: land by itself, or never' }),
});
/** Of the plan: what each check runs, and the files of the base that decide what it proves. */
const checks = z.array(
  z.strictObject({
    name: z.string(),
    run: z.string(),
    minutes: z.number(),
    definitions: z
      .array(z.strictObject({ path: z.string(), keys: z.array(z.string()).optional() }))
      .optional()
      .meta({ description: 'what decides what the check proves; with `keys` only these values of the file' }),
  }),
);
const judged = {
  hash: z.string(),
  planFile: z.string(),
  waves: z.int(),
  tasks: z.int(),
  checks,
  warnings: z.array(finding),
};

const onRun = <B extends z.ZodType>(name: string, role: AccessRole, summary: string, body: B) =>
  does({ group, role, params: runParams, path: `${inRun}/${name}`, summary }, body, json(accepted, 202));
const onTask = <B extends z.ZodType>(name: string, role: AccessRole, summary: string, body: B) =>
  does({ group, role, params: taskParams, path: `${inTask}/${name}`, summary }, body, json(accepted, 202));

export const commandRoutes = {
  lint: does(
    {
      group: 'Plans',
      role: 'read',
      params: inRepositoryParams,
      path: `${inRepository}/plans/lint`,
      summary: 'Every mistake in a plan at once; nothing is kept',
      refuses: [404],
    },
    plan,
    json(
      z.strictObject({
        ok: z.boolean(),
        findings: z.array(finding),
        warnings: z.array(finding),
        hash: z.string().nullable(),
        checks: checks.meta({ description: 'empty for a plan with mistakes' }),
      }),
    ),
  ),
  dryRun: does(
    {
      group: 'Plans',
      role: 'read',
      params: inRepositoryParams,
      path: `${inRepository}/plans/dry-run`,
      summary: 'Every check that comes before approval; nothing is kept',
      refuses: [404, 422],
    },
    plan,
    json(z.strictObject(judged)),
  ),
  order: does(
    {
      group,
      role: 'operate',
      params: inRepositoryParams,
      path: `${inRepository}/runs`,
      summary: 'Order a run of a plan; it waits for approval',
      refuses: [404, 422, 503],
    },
    plan,
    json(z.strictObject({ run: id, ...judged }), 202),
  ),
  approve: onRun('approve', 'approve', 'Say yes to what is asked: the start, or the landing', z.strictObject({ hash })),
  reject: onRun('reject', 'approve', 'Say no, for good', z.strictObject({ hash })),
  hold: onRun('hold', 'approve', 'Put the decision off', z.strictObject({ hash })),
  pause: onRun('pause', 'operate', 'Start nothing new; what runs goes on', none),
  resume: onRun('resume', 'operate', 'Go on after a pause, a stop or a failure of the machine', none),
  replan: onRun(
    'replan',
    'approve',
    'Take the plan as its files are now; what is merged stays, the rest is approved again',
    none,
  ),
  stop: onRun('stop', 'operate', 'End the agents of a run; their work is kept', none),
  abandon: onRun('abandon', 'approve', 'End a run for good, in any state; its work is kept', none),
  land: onRun(
    'land',
    'approve',
    'Move the branch to what is proven, or to some of it',
    z.strictObject({ only: z.array(id).min(1).optional(), except: z.array(id).min(1).optional() }),
  ),
  undo: onRun('undo', 'approve', 'Take a landing back', none),
  raise: onRun('raise', 'approve', 'More money for the run', z.strictObject({ usd })),
  grant: onTask(
    'grant',
    'approve',
    'Let a task change paths outside of what it owns',
    z.strictObject({ paths: z.array(path).min(1).max(100) }),
  ),
  drop: onTask(
    'drop',
    'approve',
    'Give a task up by name, or some of its changes',
    z.strictObject({ paths: z.array(path).max(100).default([]) }),
  ),
  discard: onTask(
    'discard',
    'approve',
    'Remove files that no snapshot holds from the workspaces of a task',
    z.strictObject({
      paths: z.array(z.string().min(1).max(20_000)).min(1).max(1_000).meta({
        description: 'as `kept` of the run shows them; a directory stands for all below it, `.` for everything',
      }),
    }),
  ),
  retry: onTask(
    'retry',
    'approve',
    'Begin a task again, or give it to another agent',
    z.strictObject({ agent: z.string().min(1).max(200).optional() }),
  ),
  rework: onTask('rework', 'operate', 'Let an agent mend what is there', z.strictObject({ message })),
  accept: onTask(
    'accept',
    'approve',
    'Take the work of a task as it is, although its agent did not finish',
    z.strictObject({
      snapshot: z
        .string()
        .regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/)
        .meta({ description: 'the id of the snapshot that was shown: any other one is refused' }),
    }),
  ),
  send: onTask('send', 'approve', 'A word to an agent at work', z.strictObject({ message })),
  raiseTask: onTask('raise', 'approve', 'More money for a task', z.strictObject({ usd })),
  undoTask: onTask('undo', 'approve', 'Take one landed task back', none),
} as const;
