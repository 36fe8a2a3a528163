import { expect, test } from 'vitest';
import type { TaskId } from '../base/ids.ts';
import { titleOf } from './commit-subject.ts';

const titled = (text: string): string =>
  titleOf({ id: 'limit' as TaskId, directive: { file: null, text, clauses: [] } });

test.each([
  ['Limit the login.\nMore.', 'Limit the login.'],
  ['---\nowns: [a]\n---\n\n# Limit the login\n\n## Goal\n\nFive.', 'Limit the login'],
  ['## Goal\n\n- Limit the login.\n\n## Scope\n\nsrc', 'Limit the login.'],
  ['# Goals:\nLimit', 'Limit'],
  ['# Goal keeper\nLimit', 'Goal keeper'],
  ['## Goal\n', 'limit'],
  [`# ${'x'.repeat(80)}`, `${'x'.repeat(71)}…`],
])('%j is about %j', (text, title) => {
  expect(titled(text)).toBe(title);
});
