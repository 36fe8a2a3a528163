import { command } from '../../frame/definition.ts';

export const configCommand = command({
  name: 'config',
  group: 'keep',
  summary: 'settings and where they come from; confirm allows what is asked',
  arguments: {
    action: { about: 'confirm: allow what the repository asks for', shown: 'confirm', choices: ['confirm'] },
  },
  options: {
    origin: { about: 'show where each value comes from' },
    plan: { value: 'file', about: 'with what this plan says' },
  },
  run: async (...call) => (await import('../../begin/config.ts')).showConfig(...call),
});
