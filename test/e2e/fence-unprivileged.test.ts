import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { isOpenToAll } from '../support/open-to-all.ts';

const program = resolve(import.meta.dirname, '../support/as-stranger.ts');
const stranger = 54321;

const isRoot = process.getuid?.() === 0;
test.skipIf(isRoot && !(isOpenToAll(program) && isOpenToAll(process.execPath)))(
  'a person who is not root gets the same fence, without any privilege',
  () => {
    const identity = isRoot ? { uid: stranger, gid: stranger } : {};
    const script = 'id -u; git log --format=%s; echo x > made; echo y > .mcp.json; ls /tmp; tidegate handoff done -m x';
    const run = spawnSync(process.execPath, [program, script, '.mcp.json'], {
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
