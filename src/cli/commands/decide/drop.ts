import { aTask, command } from '../../frame/command.ts';

export const dropCommand = command({
  name: 'drop',
  group: 'decide',
  summary: 'discard a task, or some of its changes',
  arguments: { task: aTask, path: { about: 'drop only these files from a held snapshot', variadic: true } },
  asks: ({ task, path }) => ({ action: 'drop', subject: task, input: { paths: path } }),
});
