import { expect, test } from 'vitest';
import { approved, begun, started } from '../../../test/support/run-events.ts';
import { costsOf } from './costs.ts';
import { foldRun } from './run.ts';

test('costs name waves as people count them, from 1', () => {
  const stored = [...begun(), ...approved, ...started].map((event, seq) => ({ seq, event }));
  const state = foldRun(stored);
  if (state === null) throw new Error('the run was created');
  expect(costsOf(state, stored).waves.map(({ name }) => name)).toEqual(['wave 1']);
});
