import { expect, test } from 'vitest';
import { callerOf } from './caller.ts';

const ann = { name: 'ann', terminal: true };

test.each([
  ['CLAUDECODE', 'claude-code'],
  ['CLAUDE_CODE_ENTRYPOINT', 'claude-code'],
  ['CODEX_SANDBOX', 'codex'],
  ['OPENCODE', 'opencode'],
  ['GEMINI_CLI', 'gemini-cli'],
  ['CURSOR_AGENT', 'cursor'],
  ['TIDEGATE_ATTEMPT', 'tidegate-attempt'],
])('%s says that the caller is %s', (variable, agent) => {
  expect(callerOf({ [variable]: '1', PATH: '/bin' }, ann)).toEqual({
    agent,
    mayDecide: false,
    by: { who: `${agent} as ann`, via: 'command' },
  });
});

test('a person on a terminal is that person', () => {
  expect(callerOf({ PATH: '/bin', HOME: '/home/ann' }, ann)).toEqual({
    agent: null,
    mayDecide: true,
    by: { who: 'ann', via: 'terminal' },
  });
});

test('settings that people keep in their shell do not make them an agent', () => {
  const env = { CODEX_HOME: '/x', CLAUDE_CODE_OAUTH_TOKEN: 't', OPENCODE_CONFIG: '/y', CLAUDECODE: '' };
  const by = { who: 'ann', via: 'command' };
  expect(callerOf(env, { name: 'ann', terminal: false })).toEqual({ agent: null, mayDecide: true, by });
});

test('an agent decides when the person lets it, and is named; one that we started never does', () => {
  const lenient = { ...ann, letsAgentsDecide: true };
  expect(callerOf({ CLAUDECODE: '1' }, lenient)).toEqual({
    agent: 'claude-code',
    mayDecide: true,
    by: { who: 'claude-code as ann', via: 'command' },
  });
  expect(callerOf({ CLAUDECODE: '1', TIDEGATE_ATTEMPT: 'r.t.1' }, lenient).mayDecide).toBe(false);
});
