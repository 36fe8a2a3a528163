import { aRunOrTask } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const diffCommand = command({
  name: 'diff',
  group: 'look',
  summary: 'what each task changed, and whose each file is',
  arguments: {
    task: { ...aRunOrTask, about: 'run, run/task or a task of the live run; without it the live run' },
    path: { about: 'only these files, from where you are or from the top', variadic: true },
  },
  options: {
    stat: { about: 'the files only, with whose they are' },
    nameOnly: { about: 'nothing but the paths' },
    tool: {
      short: 't',
      value: 'name',
      valueOptional: true,
      about: 'in your difftool, as git config has it or by name',
    },
    pager: { negated: true, about: 'print it, on a terminal too' },
  },
  run: async (...call) => (await import('../../look/diff.ts')).showDiff(...call),
});
