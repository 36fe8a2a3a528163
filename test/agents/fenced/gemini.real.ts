import { describeFenced } from '../support/describe-fenced.ts';

describeFenced({
  agent: 'gemini',
  model: 'gemini-2.5-pro',
  programs: { gemini: 'gemini' },
  environment: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'test-key' }),
});
