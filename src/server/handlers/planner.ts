import { hash } from 'node:crypto';
import { foldSession } from '../../domain/external/session.ts';
import { craftPrompt, type Previous } from '../../domain/planner/craft-prompt.ts';
import { decompose } from '../../domain/planner/decompose.ts';
import { previousOf } from '../../domain/planner/previous.ts';
import { type Registry, registryOf } from '../../domain/planner/registry.ts';
import { err, ok } from '../../domain/result.ts';
import { problem } from '../../protocol/problem.ts';
import type { plannerRoutes } from '../../protocol/routes/planner.ts';
import type { Handlers, OpenRepository, Site } from '../site.ts';

export const plannerHandlers: Handlers<typeof plannerRoutes> = {
  craftPrompt: async ({ body }, site) => {
    const home = await homeOf(site);
    const previous = await previousIn(home, body.session_id, body.wave_number ?? null);
    const request = {
      description: body.task_description,
      agentType: body.agent_type,
      files: body.target_files,
      directories: body.target_directories,
      budgetTokens: body.context_budget_tokens,
    };
    const crafted = craftPrompt(request, previous, await registryIn(home));
    if (!crafted.ok) {
      const { reason, detail, tokens } = crafted.error;
      const field = 'body.context_budget_tokens';
      return err(problem(422, reason, detail, { field, next: `allow at least ${tokens}, or say less` }));
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
  decompose: async ({ body }, site) => {
    const { max_parallel: maxParallel, max_total_turns: maxTotalTurns } = body.constraints;
    const request = {
      goal: body.task_description,
      session: body.session_id,
      constraints: { maxParallel, maxTotalTurns },
    };
    const made = decompose(request, await registryIn(await homeOf(site)), (text) => hash('sha256', text, 'hex'));
    if (!made.ok) {
      const { reason, detail } = made.error;
      const field = reason === 'too-few-turns' ? 'body.constraints.max_total_turns' : 'body.task_description';
      return err(problem(422, reason, detail, { field }));
    }
    const { id, steps, waves, totalTurns } = made.value;
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

/** Null: the server was started outside of any repository. Then nothing is known but the built-in kinds of agents. */
async function homeOf({ repositories }: Site): Promise<OpenRepository | null> {
  return repositories.home === null ? null : await repositories.open(repositories.home);
}

async function registryIn(home: OpenRepository | null): Promise<Registry> {
  return registryOf(home === null ? {} : (await home.desk.settings()).registry);
}

/** A session that nothing was recorded of has no past. */
async function previousIn(
  home: OpenRepository | null,
  session: string,
  before: number | null,
): Promise<readonly Previous[]> {
  const stored = (await home?.desk.ledger.read(`external:${session}`)) ?? [];
  return previousOf(foldSession(session, stored), before);
}
