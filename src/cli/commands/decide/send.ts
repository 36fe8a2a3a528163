import { aTask, command } from '../../frame/command.ts';

export const sendCommand = command({
  name: 'send',
  group: 'decide',
  summary: 'send a message to a running agent, if it accepts one',
  arguments: { task: aTask, message: { about: 'the message', required: true } },
  asks: ({ task, message }) => ({ action: 'send', subject: task, input: { message } }),
});
