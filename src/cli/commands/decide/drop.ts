import { aTask } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const dropCommand = command({
  name: 'drop',
  group: 'decide',
  summary: 'give a task up by name, or some of its changes',
  arguments: { task: aTask, path: { about: 'only these changes, out of a held snapshot', variadic: true } },
  asks: ({ task, path }) => ({ action: 'drop', subject: task, input: { paths: path } }),
});
