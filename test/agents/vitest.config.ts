import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../../vitest.config.ts';

/** Tests with the real agents, `*.real.ts`. `npm run test:agents` runs them where there is loopback only. */
export default mergeConfig(
  { ...shared, test: { ...shared.test, include: [] } },
  defineConfig({
    root: new URL('../..', import.meta.url).pathname,
    // Agents wait for a retry or a limit most of the time.
    test: { include: ['test/agents/**/*.real.ts'], testTimeout: 240_000, maxWorkers: 3 },
  }),
);
