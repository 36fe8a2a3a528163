import { aRun } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const pauseCommand = command({
  name: 'pause',
  group: 'run',
  summary: 'start nothing new; what runs goes on',
  arguments: { run: aRun },
  asks: ({ run }) => ({ action: 'pause', subject: run, input: {} }),
});
