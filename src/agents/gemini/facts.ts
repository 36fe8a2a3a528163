import { registerAgent } from '../facts.ts';

registerAgent({
  name: 'gemini',
  kind: {
    executor: 'acp',
    load: async () => (await import('./executor.ts')).geminiExecutor,
    judged: 'judged when it asks',
    program: 'gemini',
    arguments: ['--acp'],
    install: 'npm install -g @google/gemini-cli',
    provider: 'google',
    credentials: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    variables: ['GOOGLE_GEMINI_BASE_URL'],
    hears: true,
  },
  caller: { name: 'gemini-cli', variable: /^GEMINI_CLI$/ },
  configuration: { atStart: ['.gemini'], later: ['GEMINI.md', '.geminiignore'] },
});
