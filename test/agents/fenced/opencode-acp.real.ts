import { describeFenced } from '../support/describe-fenced.ts';

describeFenced({
  agent: 'opencode-acp',
  model: 'openai/scripted-model',
  programs: { opencode: 'opencode' },
  environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'test-key' }),
});
