import { describeFenced } from '../support/describe-fenced.ts';

describeFenced({
  agent: 'codex-acp',
  model: 'gpt-5.5',
  programs: { 'codex-acp': 'codex-acp', codex: 'codex' },
  environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'test-key' }),
});
