import { z } from 'zod';
import { commit, count, id, time } from './common.ts';
import { spend, taskSummary } from './run.ts';

export const finding = z.strictObject({
  rule: z.string(),
  detail: z.string(),
  where: z.string().optional(),
  fix: z.string().optional(),
});
const judging = {
  gate: z.string(),
  version: count.meta({ description: 'version of the rules of this gate' }),
  of: z.string().optional().meta({ description: 'the name of the check, when the gate judges several' }),
};
export const verdict = z.discriminatedUnion('outcome', [
  z.strictObject({ ...judging, outcome: z.literal('pass') }),
  z.strictObject({ ...judging, outcome: z.enum(['fail', 'inconclusive']), findings: z.array(finding).min(1) }),
]);
const handoff = z.looseObject({ status: z.enum(['done', 'partial', 'failed']), summary: z.string() });

export const taskDocument = z.strictObject({
  ...taskSummary.shape,
  run: id,
  wave: count,
  readOnly: z.boolean(),
  role: z.string().nullable(),
  agents: z.array(z.string()).meta({ description: 'in the order in which they are tried' }),
  directive: z.string(),
  handoff: handoff.nullable().meta({ description: 'the claim of the last agent; never evidence' }),
  dispatched: z.array(verdict).nullable(),
  monitored: z.array(verdict).nullable(),
});

export const usage = z.strictObject({
  turns: count,
  inputTokens: count,
  outputTokens: count,
  cachedTokens: count,
  usd: z.number().nullable(),
});

export const attempt = z.strictObject({
  attempt: z.string(),
  number: count,
  agent: z.string(),
  began: time,
  started: time.nullable(),
  ended: time.nullable(),
  ending: z.looseObject({}).nullable(),
  handoff: z.looseObject({ kind: z.string() }).nullable(),
  snapshot: commit.nullable(),
  base: commit,
  from: commit,
  usage: usage.nullable(),
  refusals: z.array(z.string()).meta({ description: 'actions that it tried and only a person may take' }),
  log: z.strictObject({ bytes: count, sha256: z.string() }).nullable(),
  reminded: z.boolean(),
});

const fileChange = z.looseObject({
  path: z.string(),
  change: z.string(),
  whose: z.string(),
  problem: z.string().nullable().meta({ description: 'why this task may not change it' }),
});
export const diff = z.strictObject({
  task: id,
  base: commit,
  snapshot: commit,
  files: z.array(fileChange),
  patch: z.string().meta({ description: 'unified diff between the trees of base and snapshot' }),
});

export const conflict = z.strictObject({ task: id.nullable(), files: z.array(z.string()), command: z.string() });

export const cost = z.strictObject({
  name: z.string(),
  attempts: count,
  live: count,
  usage,
  spend: spend.nullable(),
});
export const costs = z.strictObject({
  tasks: z.array(cost),
  agents: z.array(cost),
  waves: z.array(cost),
  total: cost,
  run: spend,
});

/** Evidence with the verdicts of its gates. */
export const judgement = z.strictObject({
  seq: count,
  at: time,
  phase: z.string(),
  wave: count.nullable(),
  task: id.nullable(),
  evidence: z.looseObject({}),
  verdicts: z.array(verdict),
});

/** An event as it is stored; the reference lists all types. */
export const storedEvent = z.strictObject({
  seq: count,
  stream: z.string(),
  position: count,
  epoch: count,
  at: time,
  event: z.looseObject({ type: z.string() }),
  hash: z.string(),
});
