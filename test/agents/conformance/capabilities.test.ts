import { expect, test } from 'vitest';
import { readDocs, readResults, withTable } from './capabilities.ts';

test('the table in docs/agents.md is the one that real runs gave', () => {
  expect(withTable(readDocs(), readResults())).toBe(readDocs());
});
