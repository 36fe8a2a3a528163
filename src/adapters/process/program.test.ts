import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findProgram } from './program.ts';

test.each([
  ['.agent/claude', '.agent/claude'],
  ['lib/node_modules/@vendor/agent/cli.js', 'lib/node_modules'],
])('S1: an agent at %s is seen with %s, and with nothing beside it', (program, root) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-program-')));
  try {
    mkdirSync(dirname(join(home, program)), { recursive: true });
    mkdirSync(join(home, 'bin'));
    writeFileSync(join(home, program), '', { mode: 0o755 });
    symlinkSync(join(home, program), join(home, 'bin/claude'));
    const found = findProgram('claude', { PATH: join(home, 'bin') }, (path) => path);
    expect(found).toEqual({ path: join(home, program), root: join(home, root) });
  } finally {
    rmSync(home, { recursive: true });
  }
});
