import { expect, test } from 'vitest';
import { copyingLine } from './copying.ts';

test('a copy is told in files, and that its end is not its last file', () => {
  expect([
    copyingLine('a', { done: 31_000, total: 50_000 }),
    copyingLine('a', { done: 50_000, total: 50_000 }),
  ]).toEqual([
    'a: making its copy of the repository: 31,000 of 50,000 files',
    'a: making its copy of the repository: 50,000 files, nearly there',
  ]);
});
