import { registerAgent } from '../facts.ts';

/** Any agent that speaks the Agent Client Protocol and that the plan names. Agents we know have folders of their own. */
registerAgent({
  name: 'acp',
  kind: {
    executor: 'acp',
    load: async () => (await import('./executor.ts')).plainAcpExecutor,
    judged: 'judged when it asks',
    program: '',
    arguments: [],
    provider: '',
    credentials: [],
    variables: [],
    hears: true,
  },
});
