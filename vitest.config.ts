import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Temporary repositories and ledgers flush to disk all the time; where there is room they live in memory instead. */
function scratch(): string {
  const memory = '/dev/shm';
  const free = existsSync(memory) ? statfsSync(memory).bavail * statfsSync(memory).bsize : 0;
  return free > 4 * 2 ** 30 ? memory : tmpdir();
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // The kill sweep starts many processes for each test.
    maxConcurrency: 3,
    // Two cores that are busy with other tests are slow cores.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // Tests set what they need; nothing of the caller's own git or agent settings may leak in.
    env: { TMPDIR: scratch(), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C.UTF-8' },
  },
});
