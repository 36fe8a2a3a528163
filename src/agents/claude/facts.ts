import { registerAgent } from '../facts.ts';

const anthropic = {
  provider: 'anthropic',
  credentials: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  variables: ['ANTHROPIC_BASE_URL', 'ANTHROPIC_MODEL'],
  login: {
    file: { variable: 'CLAUDE_CONFIG_DIR', directory: '.claude', name: '.credentials.json' },
    inside: 'claude/.credentials.json',
    required: true,
    host: 'api.anthropic.com',
    baseUrl: 'ANTHROPIC_BASE_URL',
    behindBaseUrl: [],
    fix: 'tidegate auth claude',
    fixWithoutFile: 'tidegate auth claude',
  },
  hears: true,
} as const;

registerAgent({
  name: 'claude',
  isDefault: true,
  kind: {
    executor: 'claude',
    load: async () => (await import('./executor.ts')).claudeExecutor,
    judged: 'judged by its hook',
    program: 'claude',
    arguments: [],
    install: 'npm install -g @anthropic-ai/claude-code',
    ...anthropic,
  },
  variants: {
    'claude-agent-acp': {
      executor: 'acp',
      load: async () => (await import('./acp.ts')).claudeAcpExecutor,
      judged: 'judged when it asks',
      program: 'claude-agent-acp',
      arguments: [],
      install: 'npm install -g @agentclientprotocol/claude-agent-acp',
      drives: 'claude',
      ...anthropic,
    },
  },
  caller: {
    name: 'claude-code',
    variable:
      /^(CLAUDECODE|CLAUDE_CODE_(?!OAUTH|USE_|MAX_|DISABLE_|ENABLE_|API_|SKIP_|AUTO_|SHELL|SUBAGENT_|SSE_PORT).+)$/,
  },
  configuration: { atStart: ['.claude', '.mcp.json', 'CLAUDE.md'], later: ['CLAUDE.local.md'] },
  toolchains: [
    { name: 'Claude Code', places: ['~/.local/share/claude'], shows: ['versions'], never: [] },
    {
      name: 'Claude Code',
      places: ['~/.claude/local'],
      shows: ['.', 'node_modules', 'package.json'],
      never: ['~/.claude/.credentials.json', '~/.claude/history.jsonl', '~/.claude/projects', '~/.claude.json'],
    },
  ],
  setupToken: {
    program: 'claude',
    arguments: ['setup-token'],
    variable: 'CLAUDE_CODE_OAUTH_TOKEN',
    mistaken: { prefix: 'sk-ant-api', variable: 'ANTHROPIC_API_KEY' },
  },
});
