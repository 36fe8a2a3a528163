import { agentKinds } from '../../../agents/agents.ts';
import { aTask, command } from '../../frame/command.ts';

export const retryCommand = command({
  name: 'retry',
  group: 'decide',
  summary: 'start a task again from its base, or with another agent',
  arguments: { task: aTask },
  options: { agent: { value: 'name', choices: Object.keys(agentKinds), about: 'give the task to this agent' } },
  asks: ({ task, agent }) =>
    agent === undefined
      ? { action: 'retry', subject: task, input: {} }
      : { action: 'switch-agent', subject: task, input: { agent } },
});
