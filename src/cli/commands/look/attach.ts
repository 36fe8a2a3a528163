import { aRunOrTask } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const attachCommand = command({
  name: 'attach',
  group: 'look',
  summary: 'what an agent says and does, readably, while it works',
  arguments: {
    task: { ...aRunOrTask, about: 'run/task, or a task of the live run; without it the one that runs' },
  },
  options: {
    tail: { about: 'only what happens from now on, after the last few events' },
    attempt: { value: 'number', about: 'an earlier attempt, and only that one' },
  },
  looks: async (...call) => (await import('../../follow/attach.ts')).attachTo(...call),
});
