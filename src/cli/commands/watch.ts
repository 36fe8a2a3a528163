import { aRun } from '../arguments.ts';
import { command } from '../definition.ts';

export const watchCommand = command({
  name: 'watch',
  group: 'look',
  summary: 'a run live until it ends, on a terminal with keys',
  arguments: { run: aRun },
  run: async (...call) => (await import('../watch.ts')).watchRun(...call),
});
