import { existsSync, mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { refs, stateDir } from '../domain/ledger/state-dir.ts';
import { takeOver } from './take-over.ts';

const { attempt, ...ofMerger } = refs;
const run = 'demo-ab12';

test('a killed merger leaves no lock on a ref that the next one writes', async () => {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'tidegate-take-over-'));
  const state = stateDir(dir.path);
  const names = Object.values(ofMerger).map((ref) => (ref as (...parts: unknown[]) => string)(run, 'task', 1));
  const locks = [...names, `${refs.landingEdit(run, 1)}.commit`].map((name) => join(state.repository, `${name}.lock`));
  const foreign = join(state.repository, `${attempt(`${run}.task.1`)}.lock`);
  for (const lock of [...locks, foreign]) {
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, '');
  }
  await takeOver(state);
  expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
  expect(existsSync(foreign)).toBe(true);
});
