import { registerAgent } from '../facts.ts';

/** The agent that tests step by hand. */
registerAgent({
  name: 'scripted',
  isHidden: true,
  kind: {
    executor: 'scripted',
    load: async () => (await import('./executor.ts')).scriptedExecutor,
    judged: 'not watched',
    program: '',
    arguments: [],
    provider: '',
    credentials: [],
    variables: [],
  },
});
