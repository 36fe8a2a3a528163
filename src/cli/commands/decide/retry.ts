import { agentKinds } from '../../../agents/agents.ts';
import { aTask } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const retryCommand = command({
  name: 'retry',
  group: 'decide',
  summary: 'begin a task again from its base, or give it to another agent',
  arguments: { task: aTask },
  options: { agent: { value: 'name', choices: Object.keys(agentKinds), about: 'let this agent do it from now on' } },
  asks: ({ task, agent }) =>
    agent === undefined
      ? { action: 'retry', subject: task, input: {} }
      : { action: 'switch-agent', subject: task, input: { agent } },
});
