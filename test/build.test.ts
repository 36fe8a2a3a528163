import { cpSync, mkdirSync, mkdtempDisposableSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isBuilt, sourcesHash, stampFile } from '../scripts/sources-hash.ts';

test('a build counts as done while its sources are the same, in a copy too', () => {
  using place = mkdtempDisposableSync(join(tmpdir(), 'tidegate-build-'));
  const [checkout, copy] = [join(place.path, 'one'), join(place.path, 'two')];
  const source = join(checkout, 'src/main/cli.ts');
  for (const folder of ['src/main', 'scripts', 'dist']) mkdirSync(join(checkout, folder), { recursive: true });
  writeFileSync(source, 'export {};\n');
  expect(isBuilt(checkout)).toBe(false);

  writeFileSync(stampFile(checkout), sourcesHash(checkout));
  utimesSync(source, 0, 0);
  writeFileSync(join(checkout, 'src/main/cli.test.ts'), 'a test\n');
  cpSync(checkout, copy, { recursive: true });
  expect([isBuilt(checkout), isBuilt(copy)]).toEqual([true, true]);

  writeFileSync(source, 'export const one = 1;\n');
  expect([isBuilt(checkout), isBuilt(copy)]).toEqual([false, true]);
});
