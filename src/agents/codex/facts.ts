import { registerAgent } from '../facts.ts';

const openai = {
  provider: 'openai',
  credentials: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  variables: ['OPENAI_BASE_URL'],
  login: {
    file: { variable: 'CODEX_HOME', directory: '.codex', name: 'auth.json' },
    inside: 'codex/auth.json',
    required: true,
    host: 'api.openai.com',
    baseUrl: 'OPENAI_BASE_URL',
    behindBaseUrl: ['OPENAI_API_KEY'],
    fix: 'tidegate auth codex',
    fixWithoutFile: 'tidegate auth codex CODEX_API_KEY',
  },
};

registerAgent({
  name: 'codex',
  isDefault: true,
  kind: {
    executor: 'codex',
    load: async () => (await import('./executor.ts')).codexExecutor,
    judged: 'judged by its hook',
    program: 'codex',
    arguments: [],
    install: 'npm install -g @openai/codex',
    ...openai,
  },
  variants: {
    'codex-acp': {
      executor: 'acp',
      load: async () => (await import('./acp.ts')).codexAcpExecutor,
      judged: 'judged when it asks',
      program: 'codex-acp',
      arguments: [],
      install: 'npm install -g @agentclientprotocol/codex-acp',
      drives: 'codex',
      ...openai,
      hears: true,
    },
  },
  caller: { name: 'codex', variable: /^CODEX_(?!HOME$|API_KEY$|ACCESS_TOKEN$).+$/ },
  configuration: { atStart: ['.codex'], later: ['AGENTS.override.md'] },
  toolchains: [
    {
      name: 'Codex',
      places: ['~/.codex'],
      shows: ['bin', 'packages'],
      never: ['auth.json', 'config.toml', 'history.jsonl', 'sessions', '.env'],
    },
  ],
  ownLogin: { command: 'codex login', file: '~/.codex/auth.json' },
});
