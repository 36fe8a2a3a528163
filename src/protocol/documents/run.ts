import { z } from 'zod';
import { recordClocks } from '../../domain/board/kinds.ts';
import { roleStates } from '../../domain/closure/role-state.ts';
import { closureRoles } from '../../domain/closure/roles.ts';
import { dependencyStatuses } from '../../domain/dependencies/dependency.ts';
import { roleChanges } from '../../domain/explain/overrides.ts';
import { taskStandings } from '../../domain/relaunch/task-standings.ts';
import { by, commit, count, id, time } from './common.ts';

export const spend = z.strictObject({ used: z.number(), limit: z.number() }).meta({ description: 'US dollars' });

const mode = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('active') }),
  z.strictObject({ mode: z.enum(['paused', 'stopped']), who: z.string() }),
  z.strictObject({ mode: z.literal('halted'), why: z.string(), fix: z.string() }),
]);

/** `tasks`: about a landing of these only. */
const asked = { hash: z.string(), tasks: z.array(id).optional() };
export const tap = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('pending'), ...asked, expires: time.nullable() }),
  z.strictObject({ status: z.literal('held'), ...asked, by, expires: time.nullable() }),
  z.strictObject({ status: z.enum(['approved', 'rejected', 'expired']), ...asked, by }),
]);

const moved = { branch: z.string(), old: commit.nullable(), new: commit };
const pushed = z.strictObject({
  remote: z.string(),
  host: z.string().nullable().meta({ description: 'null for a remote that is a directory' }),
  repository: z.string().nullable(),
  upstream: z.string().optional().meta({ description: 'the repository that it was forked from' }),
});
const landing = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('none') }),
  z.strictObject({ status: z.literal('queued'), seq: count }),
  z.strictObject({
    status: z.literal('observed'),
    tip: commit.nullable(),
    rebuilt: z
      .strictObject({
        onto: commit,
        commit,
        tree: commit,
        conflicts: z.array(z.string()),
        task: id.optional().meta({ description: 'the task that conflicts' }),
        against: z
          .array(z.strictObject({ commit, run: id.optional(), task: id.optional() }))
          .optional()
          .meta({ description: 'commits on the branch that changed the same files' }),
        tasks: z.array(id).optional(),
      })
      .nullable(),
    moves: count.meta({ description: 'how often somebody else has moved the branch since' }),
  }),
  z.strictObject({
    status: z.literal('refused'),
    why: z.string(),
    files: z.array(z.string()),
    fix: z.string(),
    check: z.strictObject({ name: z.string(), tree: commit }).optional(),
  }),
  z.strictObject({ status: z.literal('intended'), ...moved, moves: count }),
  z.strictObject({ status: z.enum(['landed', 'undoing']), ...moved }),
  z.strictObject({
    status: z.literal('offering'),
    branch: z.string(),
    new: commit,
    pushed: pushed.nullable(),
    opener: z.enum(['gh', 'glab']).nullable(),
  }),
  z.strictObject({
    status: z.literal('offered'),
    branch: z.string(),
    new: commit,
    pushed,
    url: z.string().nullable().meta({ description: 'of the pull request; null: Tidegate has not opened one' }),
    command: z.string().nullable().meta({ description: 'opens the pull request; null when one is open' }),
  }),
  z.strictObject({ status: z.literal('undone'), branch: z.string(), commit, exact: z.boolean() }),
]);

const trouble = z.strictObject({ kind: z.string(), until: time.nullable(), detail: z.string() });
const provider = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('serving'), tries: count }),
  z.strictObject({
    status: z.literal('paused'),
    tries: count,
    until: time.nullable(),
    trouble,
    of: id.optional().meta({ description: 'the run that hit the limit, when it was another one' }),
  }),
]);

/** One reason why a run does not proceed: what happened, what is safe, and the command to run. */
const advice = {
  safe: z.string(),
  lines: z.array(z.string()).optional(),
  first: z.string().optional(),
  command: z.string(),
};
export const why = z.strictObject({ sentence: z.string(), ...advice });
const overdue = z
  .strictObject({ clock: z.enum(recordClocks), since: time })
  .optional()
  .meta({ description: 'the clock of its record that has run out, and when; absent when it is not overdue' });

export const need = z.strictObject({
  kind: z.string(),
  task: id.nullable(),
  record: z.string().optional().meta({ description: 'the record of the board that needs an answer' }),
  barrier: z.string().optional().meta({ description: 'the barrier of the wave, or the dependency, that it is about' }),
  message: z.string(),
  ...advice,
  since: time.nullable(),
  overdue,
});

const progress = ['waiting', 'launching', 'running', 'ended', 'ready'] as const;
export const taskStatus = z.enum([...progress, 'done', 'held', 'failed', 'merged', 'dropped']);

export const taskSummary = z.strictObject({
  id,
  status: taskStatus,
  state: z.enum(taskStandings).meta({
    description:
      'its place in the wave. blocked: a person or another task has to act first; satisfied: its work is ready; needs-rerun: it starts again by itself; closed: merged or dropped, or its wave or run is over',
  }),
  detail: z.string(),
  proven: z.boolean().meta({ description: 'its last attempt passed every gate; the wave may still be open' }),
  since: time.nullable(),
  launches: count,
  attempt: z.string().nullable(),
  owns: z.array(z.string()).nullable().meta({ description: 'null: whatever no other task claims; empty: read-only' }),
  needs: z.array(id),
  granted: z.array(z.string()),
  asked: z.array(z.strictObject({ path: z.string(), why: z.string() })),
  spend,
  base: commit.nullable(),
  snapshot: commit.nullable(),
  purpose: z
    .enum(['resolver'])
    .optional()
    .meta({ description: 'why Tidegate made the task; absent for a task of the plan' }),
  standsFor: z
    .array(id)
    .optional()
    .meta({ description: 'the tasks that it stands for; absent for a task of the plan' }),
  through: id
    .optional()
    .meta({ description: 'the task whose work was merged instead of its own; absent when it was its own' }),
  leftOut: z
    .array(
      z.strictObject({
        path: z.string(),
        side: z
          .enum(['ours', 'theirs'])
          .meta({ description: 'theirs: the task that the resolver stands for; ours: the other tasks' }),
        from: count,
        to: count,
        back: z.literal(true).optional().meta({ description: 'lines that the side removed are there again' }),
        mode: z
          .string()
          .optional()
          .meta({ description: 'the mode of the file that is missing; then from and to are 0' }),
        reason: z.string().nullable().meta({ description: 'as the handoff of the resolver gives it' }),
      }),
    )
    .optional()
    .meta({ description: 'changes of either side that the work of a resolver lacks; absent when there are none' }),
  doing: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'the last action of its agent; only in `status --json` and in lines of `watch --json`' }),
  changes: z
    .strictObject({ files: count, added: count, removed: count })
    .nullable()
    .optional()
    .meta({ description: 'lines that its snapshot adds and removes; only where `doing` is' }),
});

const closureRole = z.strictObject({
  role: z.enum(closureRoles),
  task: id.meta({ description: 'the task that Tidegate made for the role' }),
  state: z.enum(roleStates),
  word: z.string().nullable().meta({ description: 'the word of its report on `tree`; null without a report' }),
  tree: commit.nullable().meta({ description: 'the tree that it judges; null while there is no candidate' }),
  findings: z.array(z.string()).meta({ description: 'in the words of the role' }),
});

const barrier = z.strictObject({
  id: z.string().meta({ description: 'names it in `tidegate resolve`' }),
  kind: z.string(),
  owner: z.string().meta({ description: 'a running task, a run, or `person`' }),
  message: z.string(),
  since: time.nullable(),
  overdue,
  command: z.string(),
  code: z.string().optional().meta({ description: 'the code that Wave Orchestration has for the same gap' }),
});

const override = z.strictObject({
  barrier: z.string(),
  who: z.string().meta({ description: 'the person who resolved it' }),
  reason: z.string(),
  word: z.string().nullable().meta({ description: 'the word of the report that was overruled; null without one' }),
  findings: z.array(z.string()).meta({ description: 'in the words of the role' }),
  changes: z.enum(roleChanges).meta({
    description: 'the files that the role changed: `added` to the work, or `left-out` of it',
  }),
});

export const wave = z.strictObject({
  index: count,
  name: z.string(),
  closed: z.boolean(),
  closure: z
    .array(closureRole)
    .optional()
    .meta({ description: 'the closure roles, in the order in which they run; absent when there are none' }),
  barriers: z.array(barrier).optional().meta({
    description:
      'everything that keeps it from closing, or its merged work from landing; absent for a wave without closure roles that nothing keeps open',
  }),
  overrides: z
    .array(override)
    .optional()
    .meta({ description: 'barriers that people resolved for the work as it is now; absent when there are none' }),
  thread: z
    .strictObject({ board: z.enum(['intake', 'threads', 'log']), id: z.string() })
    .optional()
    .describe('where it can be followed, when not on the built-in board'),
  tasks: z.array(taskSummary),
});

/** The resident orchestrator of a run. Nothing depends on it. */
const orchestrator = z.strictObject({
  agent: z.string(),
  status: z.enum(['waiting', 'launching', 'running', 'ended']),
  launches: count,
  attempt: z.string().nullable().meta({ description: 'the one that is running, or the last one' }),
  detail: z.string(),
  spend,
  minutes: z.strictObject({ used: count, limit: count }),
});

const phase = z.strictObject({
  phase: z.string(),
  id: z.string(),
  state: z.enum(['passed', 'active', 'waiting', 'failed']),
});

/** A dependency between two runs, or of or on a branch. */
export const dependency = z.strictObject({
  id: z.string().meta({ description: 'unique in the repository, for example `d1`' }),
  from: z.string().meta({ description: 'the run, `run/task` or branch that depends on the other end' }),
  fromBranch: z.literal(true).optional().meta({ description: 'present when `from` is a branch' }),
  on: z.string().meta({ description: 'the run, `run/task` or branch that it depends on' }),
  branch: z.literal(true).optional().meta({ description: 'present when `on` is a branch' }),
  required: z.boolean().meta({ description: 'false: nothing waits for it' }),
  status: z
    .enum(dependencyStatuses)
    .meta({ description: 'unmet: the other end is over without it, or its landing was undone, so a person decides' }),
  unmet: z.enum(['landed', 'done', 'rejected', 'failed', 'abandoned', 'dropped', 'undone']).optional(),
  text: z.string(),
  by: z.string(),
  settled: z
    .strictObject({
      by: z.string(),
      reason: z.string().optional(),
      landed: z.strictObject({ branch: z.string(), commit }).optional(),
    })
    .optional(),
});

/** The board of a run in numbers. */
const boardCounts = z.strictObject({
  open: count.meta({ description: 'records that wait for somebody' }),
  overdue: count.meta({ description: 'open records that are past a clock' }),
  oldest: z
    .strictObject({ record: z.string(), since: time, seconds: count })
    .nullable()
    .meta({ description: 'the open record that has waited longest' }),
  clarifications: count.meta({ description: 'open questions between tasks' }),
  requests: count.meta({ description: 'open requests to tasks' }),
  escalations: count.meta({ description: 'open escalations to a person' }),
  helpers: count.meta({ description: 'times that a task was started again for records that waited for it' }),
  dependencies: count.meta({ description: 'open dependencies on other runs and branches, and of others on this run' }),
  next: z
    .strictObject({ record: z.string(), clock: z.enum(recordClocks), at: time })
    .nullable()
    .meta({ description: 'the next clock that runs out' }),
});

/** Also what `tidegate status --json` prints. */
export const runDocumentSchema = z.strictObject({
  run: id,
  plan: z.strictObject({ name: z.string(), file: z.string(), hash: z.string() }),
  target: z.strictObject({
    branch: z.string(),
    commit,
    apart: z.boolean().meta({
      description: 'true: the branch holds rebuilt copies of the commits of the run, not the commits themselves',
    }),
  }),
  fence: z.enum(['bwrap', 'none']),
  checks: z
    .array(z.string())
    .meta({ description: 'names of the checks of the plan; empty: nothing checks the result before it lands' }),
  mode,
  ended: z.enum(['landed', 'done', 'rejected', 'failed', 'abandoned']).nullable(),
  began: time.nullable(),
  endedAt: time.nullable(),
  phases: z.array(phase),
  taps: z.record(z.string(), tap),
  waves: z.array(wave),
  orchestrator: orchestrator.optional().meta({ description: 'absent when the plan has none' }),
  providers: z.record(z.string(), provider),
  spend,
  branch: z.strictObject({ commit, tree: commit }).nullable(),
  landing,
  undo: z.strictObject({ task: id.nullable(), onto: commit.nullable(), check: z.string().nullable() }).nullable(),
  dependencies: z
    .array(dependency)
    .optional()
    .meta({ description: 'dependencies with one end at this run; absent when there are none' }),
  board: boardCounts,
  kept: z
    .array(z.strictObject({ task: id, attempt: z.string(), path: z.string(), why: z.string(), command: z.string() }))
    .meta({ description: 'files that no snapshot holds; each stays in its workspace until you discard it by name' }),
  relaunch: z
    .array(
      z.strictObject({
        task: id,
        rule: z.string().meta({ description: 'names the reason, for programs' }),
        reason: z.string(),
      }),
    )
    .meta({
      description: 'the tasks and closure roles that are launched next, in order; empty when a person has to act first',
    }),
  waits: z.array(need),
});

/** One line about a run. */
export const runSummary = z.strictObject({
  run: id,
  /** `ordered`: no coordinator has started it yet. */
  mode: z.enum(['ordered', 'active', 'paused', 'stopped', 'halted']),
  ended: runDocumentSchema.shape.ended,
  landing: z.enum([
    ...['none', 'queued', 'observed', 'refused', 'intended'],
    ...['offering', 'offered', 'landed', 'undoing', 'undone'],
  ] as const),
  outcome: z.string().nullable().meta({ description: 'how it ended and where its work is now, in words' }),
  target: z.string().nullable(),
  began: time.nullable(),
  waits: count.meta({ description: 'how many things wait for a person' }),
});
