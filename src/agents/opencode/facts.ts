import { registerAgent } from '../facts.ts';

const anyProvider = {
  provider: 'opencode',
  credentials: [
    ...['OPENCODE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY'],
    ...['GOOGLE_GENERATIVE_AI_API_KEY', 'GROQ_API_KEY', 'MISTRAL_API_KEY', 'DEEPSEEK_API_KEY', 'XAI_API_KEY'],
  ],
  variables: ['OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL'],
  standIns: ['.opencode/.gitignore'],
  login: {
    file: { variable: 'XDG_DATA_HOME', directory: '.local/share', name: 'opencode/auth.json' },
    inside: 'data/opencode/auth.json',
    required: false,
    host: null,
    baseUrl: null,
    behindBaseUrl: [],
    fix: 'tidegate auth opencode',
    fixWithoutFile: 'tidegate auth opencode',
  },
};

registerAgent({
  name: 'opencode',
  isDefault: true,
  kind: {
    executor: 'opencode',
    load: async () => (await import('./executor.ts')).opencodeExecutor,
    judged: 'judged by its own rules',
    program: 'opencode',
    arguments: [],
    install: 'npm install -g opencode-ai',
    ...anyProvider,
  },
  variants: {
    'opencode-acp': {
      executor: 'acp',
      load: async () => (await import('./acp.ts')).opencodeAcpExecutor,
      judged: 'judged when it asks',
      program: 'opencode',
      arguments: ['acp'],
      install: 'npm install -g opencode-ai',
      ...anyProvider,
      hears: true,
    },
  },
  caller: { name: 'opencode', variable: /^OPENCODE(_(?!CONFIG|API_KEY$|DISABLE_|ENABLE_).+)?$/ },
  configuration: { atStart: ['.opencode'], later: ['opencode.json', 'opencode.jsonc'] },
  toolchains: [
    { name: 'opencode', places: ['~/.opencode'], shows: ['bin'], never: ['~/.local/share/opencode/auth.json'] },
  ],
  ownLogin: { command: 'opencode auth login', file: '~/.local/share/opencode/auth.json' },
});
