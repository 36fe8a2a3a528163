import { expect, test } from 'vitest';
import { walksOf } from '../scripts/walks.ts';

/** Lower these when a walk gets shorter. Never raise them without a reason that a reader of the code would accept. */
const limits = { run: 342, patch: 28 };

test('the walks of `tidegate run` and of one request get no longer', async () => {
  const { run, patch } = await walksOf('.');
  expect(Object.keys(run.processes).sort()).toEqual(['cli', 'fence-client', 'merger', 'supervisor']);
  expect(run.files.length).toBeLessThanOrEqual(limits.run);
  expect(patch.files.some((file) => file.startsWith('src/server/'))).toBe(true);
  expect(patch.files.length).toBeLessThanOrEqual(limits.patch);
});
