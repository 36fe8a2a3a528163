import { aRun } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const stopCommand = command({
  name: 'stop',
  group: 'run',
  summary: 'end the agents of a run; their work is kept',
  arguments: { run: aRun },
  asks: ({ run }) => ({ action: 'stop', subject: run, input: {} }),
});
