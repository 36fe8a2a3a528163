import { command } from '../../frame/definition.ts';

export const authCommand = command({
  name: 'auth',
  group: 'begin',
  summary: 'log an agent in; --check shows who is, without a call',
  arguments: {
    agent: { about: 'claude, codex, opencode or gemini; secret: for threads and webhooks' },
    variable: { about: 'ask for its value, and keep it for Tidegate alone' },
  },
  options: { check: { about: 'show who is logged in, without a call' } },
  run: async (...call) => (await import('../../begin/auth.ts')).logIn(...call),
});
