import { aRun } from '../arguments.ts';
import { command } from '../definition.ts';

export const conflictsCommand = command({
  name: 'conflicts',
  group: 'look',
  summary: 'files that could not be integrated',
  arguments: { run: aRun },
  looks: async (input, desk) => (await import('../conflicts.ts')).showConflicts(input, desk),
});
