import { aTask, command } from '../../frame/command.ts';

export const grantCommand = command({
  name: 'grant',
  group: 'decide',
  summary: 'let a task change paths that it does not own',
  arguments: {
    task: aTask,
    path: { about: 'paths or patterns inside the repository', required: true, variadic: true },
  },
  asks: ({ task, path }) => ({ action: 'grant', subject: task, input: { paths: path } }),
});
