import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { isReachable, ordinary } from '../support/stranger.ts';

const program = resolve(import.meta.dirname, '../support/hostile-trees.ts');

test.skipIf(!isReachable)(
  'I7: whatever tree a hostile agent leaves, each file that the base does not ignore is in a snapshot, or kept and named until discarded',
  { timeout: 600_000 },
  () => {
    const run = spawnSync(process.execPath, ['--no-warnings', program, '20261116', '60'], {
      ...ordinary,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', TMPDIR: ordinary === undefined ? tmpdir() : '/tmp' },
    });
    expect(run.stderr).toBe('');
    expect(JSON.parse(run.stdout)).toEqual({ runs: 60, failed: false, why: '' });
  },
);
