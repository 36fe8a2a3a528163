import { aRun } from '../arguments.ts';
import { command } from '../definition.ts';

export const costsCommand = command({
  name: 'costs',
  group: 'look',
  summary: 'turns, tokens and money by task, agent and wave',
  arguments: { run: aRun },
  looks: async (input, desk) => (await import('../costs.ts')).showCosts(input, desk),
});
