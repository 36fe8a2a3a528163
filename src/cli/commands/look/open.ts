import { aTask } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const openCommand = command({
  name: 'open',
  group: 'look',
  summary: 'the files of a task in your editor',
  arguments: { task: aTask },
  options: { print: { about: 'only print where the files are' } },
  run: async (...call) => (await import('../../look/open.ts')).openTask(...call),
});
