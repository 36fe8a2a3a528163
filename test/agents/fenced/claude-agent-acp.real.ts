import { describeFenced } from '../support/describe-fenced.ts';

describeFenced({
  agent: 'claude-agent-acp',
  model: null,
  programs: { 'claude-agent-acp': 'claude-agent-acp', claude: 'claude' },
  environment: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'test-key' }),
});
