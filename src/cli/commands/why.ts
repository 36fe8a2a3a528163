import { aRunOrTask } from '../arguments.ts';
import { command } from '../definition.ts';

export const whyCommand = command({
  name: 'why',
  group: 'look',
  summary: 'the one thing in the way, and what to type',
  arguments: { subject: aRunOrTask },
  mcp: true,
  run: async (...call) => (await import('../why.ts')).explain(...call),
});
