import { command } from '../../frame/definition.ts';

export const completionCommand = command({
  name: 'completion',
  group: 'keep',
  summary: 'print a completion script for your shell',
  arguments: { shell: { about: 'bash, zsh or fish', required: true, shown: 'bash|zsh|fish' } },
  run: async (...call) => (await import('../../look/completion.ts')).printCompletion(...call),
});
