import { expect, test } from 'vitest';
import { typeOn } from './secret.ts';

test.each([
  ['', 'sk-1', { text: 'sk-1', next: 'more' }],
  ['sk-', '1\r', { text: 'sk-1', next: 'line-end' }],
  ['', 'sk-\r\n  1\r', { text: 'sk-1', next: 'line-end' }],
  ['', 'sk-\n1', { text: 'sk-1', next: 'more' }],
  ['', '\x1b[200~sk-1\x1b[201~\x1b[D\r', { text: 'sk-1', next: 'line-end' }],
  ['wrong', '\x15sk-12\x7f\r', { text: 'sk-1', next: 'line-end' }],
  ['', '\r', { text: '', next: 'line-end' }],
  ['half', 'more\x03', { text: '', next: 'interrupted' }],
  ['', '\x04', { text: '', next: 'ended' }],
  ['half', '\x04', { text: 'half', next: 'more' }],
])('after %j the keys %j give %j', (before, keys, expected) => {
  expect(typeOn(before, keys)).toEqual(expected);
});
