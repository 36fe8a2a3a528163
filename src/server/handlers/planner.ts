import { hash } from 'node:crypto';
import { resultsBefore } from '../../dcm/synthesis.ts';
import { err, ok } from '../../domain/base/result.ts';
import { craftPrompt } from '../../planner/craft-prompt.ts';
import { decompose } from '../../planner/decompose.ts';
import { type Registry, registryOf } from '../../planner/registry.ts';
import { problem } from '../../protocol/problem.ts';
import type { plannerRoutes } from '../../protocol/routes/planner.ts';
import { findQueriedRepository } from '../find.ts';
import type { Handlers, ServedRepository } from '../site.ts';

export const plannerHandlers: Handlers<typeof plannerRoutes> = {
  craftPrompt: async ({ query, body }, site) => {
    const repository = await findQueriedRepository(site, query);
    if (!repository.ok) return repository;
    const session = await repository.value.sessions.session(body.session_id);
    const previous = resultsBefore(session, body.wave_number ?? null);
    const request = {
      description: body.task_description,
      agentType: body.agent_type,
      files: body.target_files,
      directories: body.target_directories,
      budgetTokens: body.context_budget_tokens,
    };
    const crafted = craftPrompt(request, previous, await registryIn(repository.value));
    if (!crafted.ok) {
      const { reason, detail, tokens } = crafted.error;
      const field = 'body.context_budget_tokens';
      return err(problem(422, reason, detail, { field, next: `allow at least ${tokens}, or shorten the description` }));
    }
    const { text, agent, estimate } = crafted.value;
    return ok({
      crafted_prompt: text,
      max_turns: estimate.maxTurns,
      model: estimate.model,
      complexity: estimate.complexity,
      scope_directives: {
        target_files: body.target_files,
        target_directories: body.target_directories,
        max_files: agent.files,
        forbidden_actions: [...agent.forbid],
      },
    });
  },
  decompose: async ({ query, body }, site) => {
    const repository = await findQueriedRepository(site, query);
    if (!repository.ok) return repository;
    const { max_parallel: maxParallel, max_total_turns: maxTotalTurns } = body.constraints;
    const request = {
      goal: body.task_description,
      session: body.session_id,
      constraints: { maxParallel, maxTotalTurns },
    };
    const plan = decompose(request, await registryIn(repository.value), (text) => hash('sha256', text, 'hex'));
    if (!plan.ok) {
      const { reason, detail } = plan.error;
      const field = reason === 'too-few-turns' ? 'body.constraints.max_total_turns' : 'body.task_description';
      return err(problem(422, reason, detail, { field }));
    }
    const { id, steps, waves, totalTurns } = plan.value;
    return ok({
      plan_id: id,
      subtasks: steps.map(({ step, wave, agent, description, maxTurns, model, dependsOn }) => ({
        step,
        wave,
        agent_type: agent.type,
        description,
        max_turns: maxTurns,
        model,
        depends_on: [...dependsOn],
      })),
      execution_plan: {
        waves: waves.map(({ wave, tasks }) => ({ wave, parallel: tasks.length, tasks: [...tasks] })),
        total_turns: totalTurns,
        max_parallel: maxParallel,
      },
    });
  },
};

const registryIn = async ({ repo }: ServedRepository): Promise<Registry> =>
  registryOf((await repo.settings()).registry);
