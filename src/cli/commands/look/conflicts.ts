import { aRun } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const conflictsCommand = command({
  name: 'conflicts',
  group: 'look',
  summary: 'files that could not be integrated',
  arguments: { run: aRun },
  looks: async (input, repo) => (await import('../../decide/conflicts.ts')).showConflicts(input, repo),
});
