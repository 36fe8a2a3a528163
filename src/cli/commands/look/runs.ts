import { command } from '../../frame/definition.ts';

export const runsCommand = command({
  name: 'runs',
  group: 'look',
  summary: 'the runs of this repository, one line each',
  options: { all: { about: 'also those that ended before the newest ten' } },
  looks: async (input, repo) => (await import('../../look/status.ts')).listRuns(input, repo),
});
