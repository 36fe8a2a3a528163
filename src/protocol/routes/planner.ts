import { z } from 'zod';
import { tiers } from '../../planner/complexity.ts';
import { budgetTokens } from '../../planner/craft-prompt.ts';
import { parallelRange, turnsRange } from '../../planner/decompose.ts';
import { repositoryQuery, sessionId } from '../documents/common.ts';
import { does, json } from '../route.ts';

const group = 'Planner';
const text = z.string().regex(/\S/, 'is empty');
const description = text.max(20_000);
const target = text.max(1_024);
const ranged = ({ min, max, default: usual }: typeof parallelRange | typeof turnsRange) =>
  z.int().min(min).max(max).default(usual);

const craftBody = z.strictObject({
  task_description: description,
  agent_type: text.max(64),
  session_id: sessionId,
  target_files: z.array(target).max(1_000).default([]),
  target_directories: z.array(target).max(1_000).default([]),
  context_budget_tokens: z.int().min(1).max(budgetTokens.max).default(budgetTokens.default),
  wave_number: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'the prompt mentions only results of waves before this one' }),
});

const craftedPrompt = z.strictObject({
  crafted_prompt: z.string().meta({ description: 'at most four characters for each token of the budget' }),
  max_turns: z.int(),
  model: z.string(),
  complexity: z.enum(tiers),
  scope_directives: z.strictObject({
    target_files: z.array(z.string()),
    target_directories: z.array(z.string()),
    max_files: z.int(),
    forbidden_actions: z.array(z.string()),
  }),
});

const constraints = z.strictObject({ max_parallel: ranged(parallelRange), max_total_turns: ranged(turnsRange) });
const decomposeBody = z.strictObject({
  task_description: description,
  session_id: sessionId,
  constraints: constraints.prefault({}),
});

const decomposition = z.strictObject({
  plan_id: z.string().meta({ description: 'derived from the request: the same request has the same id' }),
  subtasks: z.array(
    z.strictObject({
      step: z.int(),
      wave: z.int(),
      agent_type: z.string(),
      description: z.string(),
      max_turns: z.int(),
      model: z.string(),
      depends_on: z.array(z.int()),
    }),
  ),
  execution_plan: z.strictObject({
    waves: z.array(z.strictObject({ wave: z.int(), parallel: z.int(), tasks: z.array(z.int()) })),
    total_turns: z.int(),
    max_parallel: z.int(),
  }),
});

/** These compute something and change nothing, so the role `read` is enough. */
export const plannerRoutes = {
  craftPrompt: does(
    {
      path: '/api/orchestration/craft-prompt',
      group,
      role: 'read',
      summary: 'Write a prompt for one agent, with its scope, within a budget',
      query: repositoryQuery,
      refuses: [404, 409],
    },
    craftBody,
    json(craftedPrompt),
  ),
  decompose: does(
    {
      path: '/api/orchestration/decompose',
      group,
      role: 'read',
      summary: 'Split a goal into waves of subtasks',
      query: repositoryQuery,
      refuses: [404, 409],
    },
    decomposeBody,
    json(decomposition),
  ),
} as const;
