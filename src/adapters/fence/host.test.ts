import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findHost, withFixedView } from './host.ts';

test('a directory on the PATH is visible, but nothing of it that is closed', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidegate-host-'));
  try {
    for (const path of ['tool/bin', 'tool/lib', 'tool/private', 'dev/bin', 'dev/checkout/bin', 'dev/state'])
      mkdirSync(join(root, path), { recursive: true });
    const at = (path: string): string => join(root, path);
    const onPath = [at('tool/bin'), at('dev/bin'), at('dev/checkout/bin'), at('dev'), '/usr/bin'];
    const closed = [at('dev/checkout'), at('dev/state')];
    const visible = findHost({ PATH: onPath.join(':'), HOME: at('home') }, closed).visible();
    expect(visible.shown.map(({ path }) => path)).toEqual([at('tool/bin'), at('tool/lib'), at('dev/bin')]);
    expect(visible.path).toEqual([at('tool/bin'), at('dev/bin'), at('dev'), '/usr/bin']);
    expect(visible.left).toEqual([{ path: at('dev/checkout/bin'), why: 'closed' }]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('one start sees the machine as it was at one moment', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidegate-host-'));
  try {
    const tools = join(root, 'tool/bin');
    mkdirSync(tools, { recursive: true });
    const host = findHost({ PATH: tools, HOME: join(root, 'home') });
    const start = withFixedView(host);
    rmSync(tools, { recursive: true });
    expect(host.visible().path).toEqual([]);
    expect(start.visible().path).toEqual([tools]);
    expect(start.visible()).toBe(start.visible());
  } finally {
    rmSync(root, { recursive: true });
  }
});
