import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'forks',
    // The kill sweep starts many processes for each test.
    maxConcurrency: 3,
    // Two cores that are busy with other tests are slow cores.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // Tests set what they need; nothing of the caller's own git or agent settings may leak in.
    env: { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C.UTF-8' },
  },
});
