import { command } from '../../frame/definition.ts';

export const tokenCommand = command({
  name: 'token',
  group: 'serve',
  summary: 'what a script needs to talk to the server',
  options: {
    role: {
      value: 'role',
      choices: ['read', 'operate', 'approve'],
      about: 'read shows, operate runs and stops, approve decides and lands; without it read',
    },
    curl: { about: 'print a call that can be pasted' },
    link: { about: 'a link for a browser, once, with the role approve; asks the server that runs' },
    renew: { about: 'make all tokens and cookies of before void' },
  },
  run: async (...call) => (await import('../../serve/token.ts')).showToken(...call),
});
