import { agentKinds } from '../../../domain/agents/agents.ts';
import { err, ok } from '../../../domain/base/result.ts';
import type { Action } from '../action.ts';

/** Gives a task to another agent. Which agent works was approved with the plan, so only a person may change it. */
export const switchAgentAction: Action<'task', { readonly agent: string }> = {
  name: 'switch-agent',
  who: 'person',
  rest: true,
  mcp: false,
  on: 'task',
  request: ({ task }, { agent }, by) =>
    Object.hasOwn(agentKinds, agent)
      ? ok({ type: 'requested-retry', task, agent, by })
      : err({
          reason: 'unknown-agent',
          because: { rule: 'no-such-agent', agent, known: Object.keys(agentKinds) },
          field: 'agent',
        }),
};
