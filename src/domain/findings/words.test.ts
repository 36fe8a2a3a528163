import { expect, test } from 'vitest';
import { boundedFinding } from './words.ts';

test('a finding about a document of any size is short', () => {
  const long = 'x'.repeat(100_000);
  const cycle = { rule: 'cycle', tasks: Array(10_000).fill(long), where: long } as const;
  expect(JSON.stringify(boundedFinding(cycle)).length).toBeLessThan(16_384);
  const words = { rule: 'needs-confirmation', key: 'fence.read', words: '["/"]', where: 'plan.yaml:1:1' } as const;
  expect(boundedFinding(words)).toEqual(words);
});
