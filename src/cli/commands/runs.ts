import { command } from '../definition.ts';

export const runsCommand = command({
  name: 'runs',
  group: 'look',
  summary: 'the runs of this repository, one line each',
  options: { all: { about: 'also those that ended before the newest ten' } },
  looks: async (input, desk) => (await import('../status.ts')).listRuns(input, desk),
});
