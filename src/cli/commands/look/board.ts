import { aRun } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const boardCommand = command({
  name: 'board',
  group: 'look',
  summary: 'what agents and people wrote to one another',
  arguments: { run: aRun },
  looks: async (input, repo) => (await import('../../look/board.ts')).showBoard(input, repo),
});
