import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/support/longest-first.ts';

/** The slowest tests first. */
const longest = ['test/kill/', 'e2e/faults-kills', 'simulation', 'e2e/'];

/** Tests beside their source. Those of the adapters and of the two helper processes use real git and real files. */
const beside = { isolate: false, testTimeout: 60_000, hookTimeout: 60_000 };
const touchesTheMachine = 'src/{adapters,merger,supervisor}/**/*.test.ts';

const inTest = (path: string): string => new URL(`test/${path}`, import.meta.url).pathname;

export default defineConfig({
  test: {
    projects: [
      // Unit tests start no process and change nothing that outlives them, so a worker can load our modules once for many files.
      {
        extends: true,
        test: {
          ...beside,
          name: 'unit',
          include: ['src/**/*.test.ts'],
          exclude: [touchesTheMachine],
          testTimeout: 10_000,
          hookTimeout: 10_000,
        },
      },
      { extends: true, test: { ...beside, name: 'adapters', include: [touchesTheMachine] } },
      {
        extends: true,
        test: { name: 'whole', include: ['test/**/*.test.ts'], globalSetup: inTest('support/built-program.ts') },
      },
    ],
    globalSetup: inTest('support/whole-run.ts'),
    pool: 'forks',
    // One more than there are cores: most workers wait for processes that they started.
    maxWorkers: availableParallelism() + 1,
    // The kill sweep starts many processes for each test.
    maxConcurrency: 3,
    sequence: { sequencer: longestFirst(longest) },
    // A machine that is busy with other work can be ten times slower.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Tests set what they need. The caller's own settings of git and agents must not leak in.
    env: { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C.UTF-8' },
  },
});
