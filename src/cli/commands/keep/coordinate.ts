import { command } from '../../frame/definition.ts';

export const coordinateCommand = command({
  name: 'coordinate',
  group: 'keep',
  summary: 'drive the runs of this repository; started by other commands',
  hidden: true,
  run: async (...call) => (await import('../../follow/coordinate.ts')).coordinateRuns(...call),
});
