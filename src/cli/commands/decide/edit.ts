import { aRunOrTask } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const editCommand = command({
  name: 'edit',
  group: 'decide',
  summary: 'change a task, or a landing that conflicts, by hand',
  arguments: {
    subject: { ...aRunOrTask, about: 'run/task; or a run whose landing conflicts; without it the live run' },
  },
  help: 'Opens a copy of the files in VISUAL or EDITOR. What you leave there is taken; your own changes count as granted.',
  run: async (...call) => (await import('../../decide/edit.ts')).editWork(...call),
});
