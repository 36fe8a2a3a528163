import { aRun } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const watchCommand = command({
  name: 'watch',
  group: 'look',
  summary: 'a run live until it ends, on a terminal with keys',
  arguments: { run: aRun },
  run: async (...call) => (await import('../../follow/watch.ts')).watchRun(...call),
});
