import { expect, test } from 'vitest';
import { tryAgainAt } from './stream.ts';

const now = new Date(2026, 10, 15, 12, 47, 30);
const local = (...at: [number, number, number, number, number]) => new Date(...at).toISOString();

test.each([
  ['to purchase more credits or try again at 2:47 PM.', local(2026, 10, 15, 14, 48)],
  ['or try again at 12:05 AM.', local(2026, 10, 15, 0, 6)],
  ['or try again at Nov 22nd, 2029 12:00 AM.', local(2029, 10, 22, 0, 1)],
  ['or try again at Jan 31st, 2027 11:59 PM.', local(2027, 1, 1, 0, 0)],
  ['exceeded retry limit, last status: 429 Too Many Requests', null],
])('%s', (text, at) => {
  expect(tryAgainAt(text, now)).toBe(at);
});
