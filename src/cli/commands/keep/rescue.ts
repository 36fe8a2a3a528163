import { aRunOrTask } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const rescueCommand = command({
  name: 'rescue',
  group: 'keep',
  summary: 'every snapshot that was taken, and how to branch it',
  arguments: {
    subject: { ...aRunOrTask, about: 'run or run/task; without it the live or the newest run' },
  },
  looks: async (input, repo) => (await import('../../look/rescue.ts')).listSnapshots(input, repo),
});
