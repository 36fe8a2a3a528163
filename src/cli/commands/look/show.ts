import { aRunOrTask } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const showCommand = command({
  name: 'show',
  group: 'look',
  summary: 'all that is known of a run or a task, or what its agent is told',
  arguments: { subject: aRunOrTask },
  options: { prompt: { about: 'what the agent of a task was told, or would be if it started now' } },
  looks: async (input, repo) => (await import('../../look/show.ts')).showSubject(input, repo),
});
