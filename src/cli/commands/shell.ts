import { aTask } from '../arguments.ts';
import { command } from '../definition.ts';

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
  run: async (...call) => (await import('../shell.ts')).enterTask(...call),
});
