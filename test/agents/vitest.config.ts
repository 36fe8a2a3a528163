import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../../vitest.config.ts';
import { longestFirst } from '../support/longest-first.ts';

const longest = [
  'conformance/opencode',
  'conformance/gemini',
  'conformance/claude-agent-acp',
  'alone/opencode',
  'alone/gemini',
];

const { projects: _, ...alike } = shared.test ?? {};

/** Tests with the real agents, `*.real.ts`. `npm run test:agents` runs them where there is loopback only. */
export default mergeConfig(
  { ...shared, test: alike },
  defineConfig({
    root: new URL('../..', import.meta.url).pathname,
    test: {
      include: ['test/agents/**/*.real.ts'],
      // With the time that a test waits for its turn.
      testTimeout: 600_000,
      // Agents wait for a retry or a limit most of the time.
      maxWorkers: 3,
      // Of one suite; its seats say how many agents work at once.
      maxConcurrency: 100,
      sequence: { sequencer: longestFirst(longest) },
    },
  }),
);
