import { aTask } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const sendCommand = command({
  name: 'send',
  group: 'decide',
  summary: 'a word to an agent at work, where it takes one',
  arguments: { task: aTask, message: { about: 'what the agent is to know', required: true } },
  asks: ({ task, message }) => ({ action: 'send', subject: task, input: { message } }),
});
