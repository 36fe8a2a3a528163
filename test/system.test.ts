import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempDisposableSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** All programs of the system but some; one that may not install anything has no sudo. */
function systemWithout(missing: readonly string[], ...args: string[]) {
  using place = mkdtempDisposableSync(join(tmpdir(), 'tidegate-system-'));
  for (const name of readdirSync('/usr/bin'))
    if (![...missing, 'sudo', 'apt-get'].includes(name)) symlinkSync(join('/usr/bin', name), join(place.path, name));
  writeFileSync(join(place.path, 'apt-get'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/system.mjs'), ...args], {
    env: { PATH: place.path },
    encoding: 'utf8',
  });
  return { status, stderr };
}

test.skipIf(process.getuid?.() === 0)(
  'who may not install packages gets the whole list at once, and nothing is begun',
  () => {
    expect(systemWithout(['bwrap', 'git', 'strace'])).toEqual({
      status: 1,
      stderr: [
        'tidegate: git is missing, bwrap is missing',
        'tidegate: type this, then start again:',
        '  sudo apt-get update && sudo apt-get install -y git bubblewrap\n',
      ].join('\n'),
    });
    const { stderr } = systemWithout(['bwrap', 'ssh-keygen', 'strace'], '--tests');
    expect(stderr).toMatch(
      / {2}sudo apt-get update && sudo apt-get install -y bubblewrap openssh-client (.* )?strace\b/,
    );
  },
);

test('every suite that runs as several users is there', async () => {
  const { userSuites } = await import(join(root, 'scripts/user-suites.mjs'));
  expect(Object.keys(userSuites).filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
