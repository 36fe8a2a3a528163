import { aRun } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const statusCommand = command({
  name: 'status',
  group: 'look',
  summary: 'where a run stands and what it waits for',
  arguments: { run: aRun },
  options: { all: { about: 'every run of this repository, and sessions that others drive' } },
  mcp: true,
  looks: async (...call) => (await import('../../look/status.ts')).showStatus(...call),
});
