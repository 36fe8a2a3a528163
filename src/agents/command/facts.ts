import { registerAgent } from '../facts.ts';

/** Any program that the plan names. It needs no model. */
registerAgent({
  name: 'command',
  kind: {
    executor: 'command',
    load: async () => (await import('./executor.ts')).commandExecutor,
    judged: 'not watched',
    program: '',
    arguments: [],
    provider: '',
    credentials: [],
    variables: [],
  },
});
