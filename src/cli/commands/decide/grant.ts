import { aTask } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const grantCommand = command({
  name: 'grant',
  group: 'decide',
  summary: 'let a task change paths outside of what it owns',
  arguments: {
    task: aTask,
    path: { about: 'paths or patterns inside the repository', required: true, variadic: true },
  },
  asks: ({ task, path }) => ({ action: 'grant', subject: task, input: { paths: path } }),
});
