import { existsSync, mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runId } from '../../domain/base/ids.ts';
import { MergerFailed } from '../../ports/merger.ts';
import { mergerProcess } from './index.ts';

test('whoever has let go of the merger starts no other one by asking', async () => {
  using place = mkdtempDisposableSync(join(tmpdir(), 'tidegate-merger-'));
  const sign = join(place.path, 'started');
  const merger = mergerProcess({
    command: ['/bin/sh', '-c', `: > ${sign}; exit 1`],
    stateDir: place.path,
    checkout: place.path,
    env: {},
  });
  const ask = () => merger.ask({ do: 'land', run: runId('demo-ab12') }, 1);
  await merger[Symbol.asyncDispose]();
  await expect(ask()).rejects.toBeInstanceOf(MergerFailed);
  expect(existsSync(sign)).toBe(false);
});
