import { command } from '../definition.ts';

export const cleanCommand = command({
  name: 'clean',
  group: 'keep',
  summary: 'remove workspaces that landed or were dropped, and unused copies',
  options: { dryRun: { about: 'only say what would be removed, and why the rest is kept' } },
  looks: async (input, desk) => (await import('../clean.ts')).cleanDisk(input, desk),
});
