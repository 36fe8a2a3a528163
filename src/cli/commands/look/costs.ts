import { aRun } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const costsCommand = command({
  name: 'costs',
  group: 'look',
  summary: 'turns, tokens and money by task, agent and wave',
  arguments: { run: aRun },
  looks: async (input, repo) => (await import('../../look/costs.ts')).showCosts(input, repo),
});
