import { aRunOrTask } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const whyCommand = command({
  name: 'why',
  group: 'look',
  summary: 'the one thing in the way, and what to type',
  arguments: { subject: aRunOrTask },
  mcp: true,
  looks: async (input, repo) => (await import('../../look/why.ts')).explainWhy(input, repo),
});
