import { z } from 'zod';
import { idPattern } from '../../domain/base/ids.ts';
import { sizePattern } from '../../domain/kept/disk.ts';
import { roles } from '../../domain/plan/plan.ts';
import { rootPattern } from '../../domain/plan/repo-claim.ts';
import { stages } from '../../domain/settings/agent-types.ts';
import { durationPattern, newsKinds } from '../../domain/settings/settings.ts';

/**
 * The structure of plans and configuration: keys, types, ranges. It is published as JSON Schema, so it says only
 * what JSON Schema can say; what takes more than one value to judge (cycles, overlaps, files) is lint.
 */

/** At least one character that is not white space. */
export const saysSomething = /\S/;
const text = z.string().regex(saysSomething);
const pattern = z
  .string()
  .min(1)
  .max(256)
  .describe('segments with * and ?, whole segments **, trailing / for all below');
const patterns = z.array(pattern);
const id = z.string().regex(idPattern);
const argv = z.array(z.string()).min(1).describe('program and arguments; never run by a shell');
const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
/** In capitals, so that nobody writes the secret itself by mistake. */
const variable = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/)
  .describe('the name of an environment variable, never the secret itself');
const address = z.string().min(1).max(2000).describe('https://…; http only on this machine');
const host = z.string().min(1).max(260).describe('example.org, *.example.org, example.org:8443, 10.0.0.5, [::1]:3000');
const agentName = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/);
const agent = z
  .union([agentName, z.array(agentName).min(1)])
  .describe('an agent, or a list of them as a fallback chain');
const minutes = z.int().min(1).max(10080);

const fence = z.strictObject({
  mode: z.enum(['auto', 'none']).optional().describe('none runs agents without a boundary'),
  network: z
    .union([z.enum(['on', 'off']), z.array(host), z.null()])
    .optional()
    .describe('on, off or a list of hosts, for agents and command; null: the default of each kind of process'),
  read: z.array(text).optional().describe('further paths that can be read inside the fence'),
  write: z.array(text).optional().describe('further paths that can be written inside the fence'),
  env: z.array(environmentName).optional().describe('names of environment variables that are passed through'),
});

const limits = z.strictObject({
  parallel: z.int().min(1).max(1000).optional().describe('tasks at work at the same time'),
  agents: z
    .record(agentName, z.int().min(1).max(1000))
    .optional()
    .describe('the most of one agent at work at the same time'),
  attempts: z.int().min(1).max(100).optional().describe('launches of an agent per task'),
  minutes: minutes.optional().describe('of one attempt'),
  silence: minutes.optional().describe('minutes without output'),
  usd: z.number().positive().optional().describe('spend per task'),
  turns: z.int().min(1).nullable().optional(),
  files: z.int().min(1).nullable().optional().describe('changed files per task'),
  run: z.strictObject({ usd: z.number().positive().optional() }).optional(),
});

const check = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/),
  run: text.describe('shell command, run in the fence on the integrated tree'),
  minutes: minutes.optional(),
  defines: patterns.optional().describe('extra files that define this check'),
});

const taps = z.strictObject({
  start: z.enum(['run', 'wave']).optional(),
  expires: z.string().regex(durationPattern).optional().describe('30m, 24h, 7d'),
});

const thread = z.strictObject({
  intake: address.nullable().optional().describe('asked first for the thread of a wave; its answer has an `id`'),
  threads: address.nullable().optional().describe('asked when the intake fails; posts go to <threads>/<id>/posts'),
  tokenFrom: variable.nullable().optional().describe('the variable that holds the bearer token'),
});

const repo = z
  .union([
    text,
    z.strictObject({
      root: z
        .string()
        .regex(rootPattern)
        .nullable()
        .optional()
        .describe('its first commit, or the beginning of its id'),
      remote: text.nullable().optional().describe('the address of one of its remotes'),
    }),
    z.null(),
  ])
  .describe('the repository that this is for: its first commit, a remote, or both');

const settings = {
  base: text.optional().describe('branch to start from and land on; default: the current one'),
  land: z.enum(['ask', 'auto', 'branch', 'pr', 'wave']).optional(),
  agent: agent.optional(),
  model: text.nullable().optional().describe('for tasks that give none; null: what the agent takes by itself'),
  command: argv.nullable().optional().describe('argv for agent: command or acp, for tasks that give none'),
  // the published schema offers only what this version takes; the rest is refused by name, not as a misspelling
  dispatch: z
    .enum(['isolated', 'worktree', 'sequential', 'commit-as-you-go'])
    .meta({ enum: ['isolated'] })
    .optional(),
  schedule: z.enum(['strict', 'eager']).optional(),
  strict: z.boolean().optional().describe('owns is required; directives must be complete'),
  partial: z.enum(['merge', 'hold']).optional().describe('what ready tasks do when a sibling failed'),
  repair: agentName
    .nullable()
    .meta({ anyOf: [{ type: 'null' }] })
    .optional(),
  commit: z
    .string()
    .max(200)
    .nullable()
    .optional()
    .describe('template of commit subjects, with {task}, {title}, {run}, {plan}, {wave} and {role}'),
  fence: z.union([z.enum(['auto', 'none']), fence]).optional(),
  limits: limits.optional(),
  taps: taps.optional(),
  setup: z
    .union([text, z.strictObject({ run: text, inputs: patterns.min(1) })])
    .nullable()
    .optional()
    .describe('shell command; with inputs, the files that its product is made from'),
  teardown: text.nullable().optional(),
  checks: z.array(check).optional(),
  generated: z.record(pattern, text).optional().describe('path to the command that rebuilds it'),
  protect: patterns.optional().describe('what tasks without owns may not touch; layers add up'),
  unprotect: patterns.optional().describe('protected paths that tasks may change, once you confirm them'),
  forbid: z
    .array(text)
    .optional()
    .describe('told to the agent, and commands with these words are denied; layers add up'),
  block: z.array(text).optional().describe('commands that agents may not run; layers add up'),
  breaker: z
    .enum(['normal', 'strict'])
    .optional()
    .describe('an agent that spins is stopped at the second sign, or at the first'),
  repo: repo.optional(),
  thread: thread.optional().describe('where each wave gets its coordination thread; default: the built-in board'),
};

const size = z.string().regex(sizePattern);

const notifyWays = z.strictObject({
  command: argv.optional(),
  webhook: address.describe('gets each item as a signed POST'),
  secretFrom: variable.optional().describe('the variable that holds what deliveries are signed with'),
  on: z.array(z.enum(newsKinds)).min(1).optional().describe('what the webhook gets; default: all of it'),
});

const agentType = z.strictObject({
  name: text.optional().describe('what it is called in prompts'),
  keywords: z
    .array(text)
    .optional()
    .describe('words and phrases of goals that are for it; `profil*`: all that begin so'),
  stage: z.enum(stages).optional().describe('whether it explores, implements or validates'),
  role: z.enum(roles).optional().describe('the role of its tasks in a plan'),
  files: z.int().min(1).max(1000).optional().describe('the most files that it is to change'),
  forbid: z.array(text).optional().describe('what it is told never to do'),
  model: text.nullable().optional().describe('null: as the complexity of the work asks for'),
});

/** Of the machine, or of the planner, and not of a run, so that no plan can speak of it. */
const machine = {
  notify: z
    .union([z.literal('off'), argv, notifyWays, z.null()])
    .optional()
    .describe('a program of yours that gets each notice as JSON on stdin; off: no bell and no desktop notice either'),
  disk: z
    .strictObject({
      cap: size.optional().describe('of all workspaces and products of setup; 500MB, 20GB, 1TB'),
      free: size.optional().describe('what must be free for an attempt to start'),
    })
    .optional(),
  machine: z
    .strictObject({
      agents: z.int().min(1).max(1000).optional().describe('attempts at work at once, over all runs of a repository'),
    })
    .optional(),
  registry: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/), agentType.nullable())
    .optional()
    .describe('kinds of agents that the planner chooses from, beside its own; null takes one of its own away'),
};

const taskKeys = {
  role: z.enum(roles).optional(),
  agent: agent.optional(),
  command: argv.nullable().optional().describe('argv, for agent: command or acp'),
  owns: patterns.nullable().optional().describe('absent: what no sibling claims; []: read-only'),
  needs: z.array(id).optional().describe('tasks of this or an earlier wave'),
  reads: patterns.optional(),
  shares: patterns.optional().describe('paths that several tasks may change, one after the other'),
  locks: patterns.optional().describe('paths that only this task may write, before the others read them'),
  model: text.nullable().optional().describe('null: what the agent takes by itself, whatever the plan says'),
  priority: z.int().min(0).max(100).optional(),
  capabilities: z.array(text).optional(),
  components: z.array(text).optional(),
  deliverables: patterns.optional(),
  drafts: pattern
    .optional()
    .describe('a plan that it writes: read, and sent back with its mistakes, before the task is done'),
  proofs: z.array(text).optional(),
  exit: z
    .strictObject({
      completion: text.nullable().optional(),
      durability: text.nullable().optional(),
      proof: text.nullable().optional(),
      docs: text.nullable().optional(),
    })
    .optional(),
  allowEmpty: z.boolean().optional().describe('a task that owns something may change nothing'),
  skills: z
    .array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/))
    .optional()
    .describe('skills of the project that its agent is told to read first'),
  repo: repo.optional(),
};

const brief = z.string().describe('the brief itself, or a path ending in .md');
const task = z.strictObject({ do: brief, ...taskKeys });
const listedTask = z.strictObject({ id, do: brief, ...taskKeys });
const tasks = z.union([z.record(id, z.union([brief, task])), z.array(listedTask)]);
const wave = z.strictObject({ name: text.optional(), tasks });

export const planSchema = z
  .strictObject({
    version: z.literal(1).optional(),
    name: id.optional().describe('default: the name of the file'),
    plan: text.optional().describe('another plan file to read instead; then the only key'),
    ...settings,
    tasks: tasks.optional().describe('one wave'),
    waves: z.array(wave).optional(),
  })
  .meta({ title: 'Tidegate plan' });

export const configSchema = z
  .strictObject({ version: z.literal(1).optional(), ...settings, ...machine })
  .meta({ title: 'Tidegate configuration' });

/** What a person says for all repositories, and no repository may say for them. */
export const userConfigSchema = configSchema
  .extend({
    taps: taps
      .extend({
        agents: z
          .enum(['refuse', 'allow'])
          .optional()
          .describe(
            'whether another agent that calls tidegate in your name may decide; never one that tidegate started',
          ),
      })
      .optional(),
  })
  .meta({ title: 'Tidegate user configuration' });

/** Front matter may say what the plan may say of a task, and must not contradict it. */
export const frontMatterSchema = z.strictObject({ id: id.optional(), ...taskKeys });

export type PlanDocument = z.infer<typeof planSchema>;
export type ConfigDocument = z.infer<typeof configSchema>;
export type UserConfigDocument = z.infer<typeof userConfigSchema>;
export type FrontMatter = z.infer<typeof frontMatterSchema>;
export type TaskDocument = z.infer<typeof task>;
