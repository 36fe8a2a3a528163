import { aRunOrTask } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const undoCommand = command({
  name: 'undo',
  group: 'decide',
  summary: 'take a landing back; on a terminal it shows how, and asks',
  arguments: {
    subject: { ...aRunOrTask, about: 'run or run/task; without it the live or the newest run' },
  },
  options: {
    dryRun: { about: 'show what it would do, and do nothing' },
    yes: { about: 'do not ask first; needed where there is no terminal' },
  },
  run: async (...call) => (await import('../../decide/land.ts')).undoRun(...call),
});
