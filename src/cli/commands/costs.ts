import { aRun } from '../arguments.ts';
import { command } from '../definition.ts';

export const costsCommand = command({
  name: 'costs',
  group: 'look',
  summary: 'turns, tokens and money by task, agent and wave',
  arguments: { run: aRun },
  run: async (...call) => (await import('../costs.ts')).showCosts(...call),
});
