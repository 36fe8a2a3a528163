import { aTask } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const shellCommand = command({
  name: 'shell',
  group: 'look',
  summary: "try out what a task made: your shell, in its agent's fence",
  arguments: {
    task: aTask,
    command: {
      about: 'after --: run this instead of a shell, and end as it ends',
      variadic: true,
      shown: '-- command',
    },
  },
  run: async (...call) => (await import('../../serve/shell.ts')).enterTask(...call),
});
