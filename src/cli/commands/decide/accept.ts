import { aTask } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const acceptCommand = command({
  name: 'accept',
  group: 'decide',
  summary: "take a task's work as it is, although its agent did not finish",
  arguments: { task: aTask },
  options: {
    snapshot: {
      value: 'id',
      about: 'the snapshot that you have read, or its first 8 characters; then nothing is asked',
    },
  },
  help: 'Shows what changed, and asks. Only exit and handoff are waived: scope, secrets and checks judge the work as always.',
  run: async (...call) => (await import('../../decide/accept.ts')).acceptTask(...call),
});
