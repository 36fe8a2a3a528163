import { aRun, command } from '../../frame/command.ts';

export const pauseCommand = command({
  name: 'pause',
  group: 'run',
  summary: 'start nothing new; running agents continue',
  arguments: { run: aRun },
  asks: ({ run }) => ({ action: 'pause', subject: run, input: {} }),
});

export const stopCommand = command({
  name: 'stop',
  group: 'run',
  summary: 'end the agents of a run and keep their work',
  arguments: { run: aRun },
  asks: ({ run }) => ({ action: 'stop', subject: run, input: {} }),
});
