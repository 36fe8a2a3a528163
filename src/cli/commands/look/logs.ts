import { aRunOrTask } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const logsCommand = command({
  name: 'logs',
  group: 'look',
  summary: 'what agents printed',
  arguments: {
    task: { ...aRunOrTask, about: 'run/task, or a task of the live run; without it every task' },
  },
  options: {
    follow: { short: 'f', about: 'go on until the attempt has ended' },
    attempt: { value: 'number', about: 'an earlier attempt' },
    check: { value: 'name', about: 'what a check printed when it last ran' },
    generated: { about: 'what the commands for generated files printed when they last ran' },
  },
  mcp: true,
  looks: async (...call) => (await import('../../follow/logs.ts')).showLogs(...call),
});
