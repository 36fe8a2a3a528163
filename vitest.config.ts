import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/support/longest-first.ts';

/** By the seconds that they take; what is alike is left to the alphabet. */
const longest = ['test/kill/', 'e2e/faults-kills', 'simulation', 'e2e/'];

export default defineConfig({
  test: {
    projects: [
      // They start nothing and change nothing that outlives them, so that a worker can read our modules once for many files.
      {
        extends: true,
        test: { name: 'unit', include: ['src/**/*.test.ts'], isolate: false, testTimeout: 60_000, hookTimeout: 60_000 },
      },
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts'] } },
    ],
    globalSetup: new URL('test/support/whole-run.ts', import.meta.url).pathname,
    pool: 'forks',
    // One more than there are cores: most of them wait for processes of theirs, some for time.
    maxWorkers: availableParallelism() + 1,
    // The kill sweep starts many processes for each test.
    maxConcurrency: 3,
    sequence: { sequencer: longestFirst(longest) },
    // Two cores that are busy with other work are slow cores: ten times slower has been seen.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Tests set what they need; nothing of the caller's own git or agent settings may leak in.
    env: { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C.UTF-8' },
  },
});
