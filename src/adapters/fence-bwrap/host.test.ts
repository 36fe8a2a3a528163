import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findHost } from './host.ts';

test('a directory on the PATH opens its toolchain, but never what lies beside it and is closed', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidegate-host-'));
  try {
    for (const path of ['nvm/bin', 'dev/bin', 'dev/checkout/bin', 'dev/state'])
      mkdirSync(join(root, path), { recursive: true });
    const at = (path: string): string => join(root, path);
    const onPath = [at('nvm/bin'), at('dev/bin'), at('dev/checkout/bin'), at('dev'), '/usr/bin'];
    const host = findHost({ PATH: onPath.join(':'), HOME: at('home') }, [at('dev/checkout'), at('dev/state')]);
    expect(host.toolchains).toEqual([at('nvm'), at('dev/bin')]);
    expect(host.path).toEqual([at('nvm/bin'), at('dev/bin'), '/usr/bin']);
  } finally {
    rmSync(root, { recursive: true });
  }
});
