import { aRun } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const abandonCommand = command({
  name: 'abandon',
  group: 'run',
  summary: 'end a run for good, in any state; its work is kept',
  arguments: { run: aRun },
  run: async (...call) => (await import('../../decide/abandon.ts')).abandonRun(...call),
});
