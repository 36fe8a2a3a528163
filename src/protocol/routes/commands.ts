import { z } from 'zod';
import { bundleLevels } from '../../domain/proofs/bundle.ts';
import { relaunchPhases } from '../../domain/relaunch/phases.ts';
import { policy } from '../../domain/settings/policy.ts';
import { id } from '../documents/common.ts';
import { finding } from '../documents/task.ts';
import { type AccessRole, does, json } from '../route.ts';
import { runParams, taskParams } from './runs.ts';
import { repositoryParams } from './server.ts';

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
    description: 'hash of the plan that you decide about, or its beginning; a decision about another plan is refused',
  });
const usd = z.number().positive().max(1_000_000);
const none = z.strictObject({});

/** The request is recorded and accepted. The run shows its effect. */
export const accepted = z.strictObject({
  run: id,
  accepted: z.literal(true),
  seq: z.int().meta({ description: 'sequence number of the request' }),
});

export const plan = z.strictObject({
  planFile: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'path from the root of the checkout; without any plan, the default file' }),
  plan: z.string().min(1).max(500_000).optional().meta({ description: 'the plan itself, as YAML' }),
  tasks: z
    .array(z.array(z.string().trim().min(1).max(20_000)).min(1).max(100))
    .min(1)
    .max(50)
    .optional()
    .meta({ description: 'waves of tasks in words, as for `tidegate go`' }),
  agent: z.string().max(200).optional().meta({ description: 'with `tasks`: the agent for all of them' }),
  model: z.string().trim().min(1).max(200).optional().meta({ description: 'with `tasks`: the model for all of them' }),
  wave: z.int().min(0).max(9_999).optional().meta({ description: 'run only this wave, counted from 0' }),
  focus: z.string().trim().min(1).max(2_000).optional(),
  land: z
    .enum(['auto', 'branch'])
    .optional()
    .meta({ description: '`auto` lands without asking; `branch` never lands' }),
});
/** The command of each check, and the files of the base that define what it proves. */
const checks = z.array(
  z.strictObject({
    name: z.string(),
    run: z.string(),
    minutes: z.number(),
    definitions: z
      .array(z.strictObject({ path: z.string(), keys: z.array(z.string()).optional() }))
      .optional()
      .meta({ description: 'files that define what the check proves; with `keys`, only these values of the file' }),
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
      params: repositoryParams,
      path: `${inRepository}/plans/lint`,
      summary: 'All mistakes in a plan; nothing is recorded',
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
      params: repositoryParams,
      path: `${inRepository}/plans/dry-run`,
      summary: 'All checks that come before approval; nothing is recorded',
      refuses: [404, 422],
    },
    plan,
    json(z.strictObject(judged)),
  ),
  order: does(
    {
      group,
      role: 'operate',
      params: repositoryParams,
      path: `${inRepository}/runs`,
      summary: 'Order a run of a plan; it waits for approval',
      refuses: [404, 422, 503],
    },
    plan,
    json(z.strictObject({ run: id, ...judged }), 202),
  ),
  approve: onRun('approve', 'approve', 'Approve the start or the landing', z.strictObject({ hash })),
  reject: onRun('reject', 'approve', 'Reject the start or the landing; this is final', z.strictObject({ hash })),
  hold: onRun('hold', 'approve', 'Postpone the decision', z.strictObject({ hash })),
  pause: onRun('pause', 'operate', 'Start no new agents; running agents continue', none),
  resume: onRun('resume', 'operate', 'Continue after a pause, a stop or a failure of the machine', none),
  replan: onRun(
    'replan',
    'approve',
    'Use the plan as its files are now; merged tasks stay, the rest needs a new approval',
    none,
  ),
  stop: onRun('stop', 'operate', 'Stop the agents of a run; their work is kept', none),
  abandon: onRun('abandon', 'approve', 'End a run permanently, in any state; its work is kept', none),
  land: onRun(
    'land',
    'approve',
    'Land all merged tasks on the target branch, or some of them',
    z.strictObject({ only: z.array(id).min(1).optional(), except: z.array(id).min(1).optional() }),
  ),
  relaunch: onRun(
    'relaunch',
    'approve',
    'Choose which tasks and closure roles of the open wave run again',
    z.strictObject({
      only: z
        .array(id)
        .min(1)
        .optional()
        .meta({ description: 'tasks and closure roles that start again; all others stay' }),
      from: z
        .enum(relaunchPhases)
        .optional()
        .meta({ description: 'the wave runs again from here on; unchanged results before it are reused' }),
      clear: z.array(id).min(1).optional().meta({ description: 'tasks whose results are not reused' }),
    }),
  ),
  resolve: onRun(
    'resolve',
    'approve',
    'Let the open wave close in spite of a barrier',
    z.strictObject({
      barrier: id.meta({ description: 'the id of an open barrier of the wave, for example `wave-1-security`' }),
      reason: z.string().regex(/\S/, 'is empty').max(policy.recordCharacters),
    }),
  ),
  revokeProof: onRun(
    'proofs/revoke',
    'approve',
    'Revoke a proof, and open again everything that it had closed',
    z.strictObject({
      bundle: z.string().regex(/^p[0-9]{1,6}$/),
      reason: z.string().regex(/\S/, 'is empty').max(policy.recordCharacters),
    }),
  ),
  prove: onTask(
    'proofs',
    'approve',
    'Give a proof for the current snapshot of a task',
    z.strictObject({
      level: z.enum(bundleLevels),
      attestation: z.string().regex(/\S/, 'is empty').max(policy.recordCharacters),
      artifacts: z
        .array(
          z.strictObject({
            url: z
              .string()
              .regex(/^https?:\/\/\S+$/)
              .max(2_000),
            sha256: z.string().regex(/^[0-9a-f]{64}$/),
            at: z.iso.datetime({ offset: true }),
          }),
        )
        .min(1)
        .max(policy.proofArtifacts)
        .meta({ description: 'addresses with the hash and the time of their content; they are never fetched' }),
      components: z.record(z.string(), z.string()).optional(),
      supersedes: z.string().optional(),
    }),
  ),
  undo: onRun('undo', 'approve', 'Undo a landing', none),
  raise: onRun('raise', 'approve', 'Raise the budget of a run', z.strictObject({ usd })),
  grant: onTask(
    'grant',
    'approve',
    'Allow a task to change paths that it does not own',
    z.strictObject({ paths: z.array(path).min(1).max(100) }),
  ),
  drop: onTask(
    'drop',
    'approve',
    'Drop a task, or some of its changes',
    z.strictObject({ paths: z.array(path).max(100).default([]) }),
  ),
  discard: onTask(
    'discard',
    'approve',
    'Remove files that no snapshot holds from the workspaces of a task',
    z.strictObject({
      paths: z.array(z.string().min(1).max(20_000)).min(1).max(1_000).meta({
        description: 'paths as in `kept` of the run; a directory includes everything below it, `.` includes everything',
      }),
    }),
  ),
  retry: onTask(
    'retry',
    'approve',
    'Start a task over, or give it to another agent',
    z.strictObject({ agent: z.string().min(1).max(200).optional() }),
  ),
  rework: onTask('rework', 'operate', 'Let an agent improve the present work', z.strictObject({ message })),
  accept: onTask(
    'accept',
    'approve',
    'Accept the work of a task, although its agent did not finish',
    z.strictObject({
      snapshot: z
        .string()
        .regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/)
        .meta({ description: 'the id of the snapshot that you have seen; any other one is refused' }),
    }),
  ),
  send: onTask('send', 'approve', 'Send a message to a running agent', z.strictObject({ message })),
  raiseTask: onTask('raise', 'approve', 'Raise the budget of a task', z.strictObject({ usd })),
  undoTask: onTask('undo', 'approve', 'Undo the landing of one task', none),
} as const;
