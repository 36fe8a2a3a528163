import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect, test } from 'vitest';

const program = resolve(import.meta.dirname, '../support/as-stranger.ts');
const stranger = 54321;

/** A checkout below a closed home directory cannot be used by another user. */
function isOpenToAll(path: string): boolean {
  accessSync(path, constants.R_OK);
  for (let above = dirname(path); above !== '/'; above = dirname(above))
    if ((statSync(above).mode & 0o5) !== 0o5) return false;
  return true;
}

const isRoot = process.getuid?.() === 0;
test.skipIf(isRoot && !(isOpenToAll(program) && isOpenToAll(process.execPath)))(
  'a person who is not root gets the same fence, without any privilege',
  () => {
    const identity = isRoot ? { uid: stranger, gid: stranger } : {};
    const run = spawnSync(process.execPath, [program], {
      ...identity,
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent', TMPDIR: '/tmp' },
    });
    expect(run.stderr).toBe('');
    const exit = JSON.parse(run.stdout);
    expect(exit.ending).toMatchObject({ reason: 'exited', code: 0 });
    expect(exit.handoff).toMatchObject({ kind: 'given', via: 'socket' });
    expect(exit.snapshot.diff.map((entry: { path: string }) => entry.path)).toEqual(['made']);
    const lines = exit.output.split('\n');
    expect(lines.slice(0, 2)).toEqual([String(isRoot ? stranger : process.getuid?.()), 'first']);
    expect(exit.output).toMatch(/\.mcp\.json: Read-only file system/);
  },
);
