import { aRun } from '../arguments.ts';
import { command } from '../definition.ts';

export const boardCommand = command({
  name: 'board',
  group: 'look',
  summary: 'what agents and people wrote to one another',
  arguments: { run: aRun },
  looks: async (input, desk) => (await import('../board.ts')).showBoard(input, desk),
});
