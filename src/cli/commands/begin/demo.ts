import { command } from '../../frame/definition.ts';

export const demoCommand = command({
  name: 'demo',
  group: 'begin',
  summary: 'a throw-away repository, five agents, one of them a rogue',
  run: async (...call) => (await import('../../begin/demo.ts')).playDemo(...call),
});
