import { expect, test } from 'vitest';
import { mistakeInAddress } from './web-address.ts';

test.each([
  'https://forum.example/api/intake',
  'https://forum.example:8443/x?board=2',
  'http://127.0.0.1:8080/x',
  'http://localhost/x',
  'http://[::1]:9/x',
  'http://127.1/x',
])('%s can be sent to', (address) => {
  expect(mistakeInAddress(address)).toBeNull();
});

test.each([
  'forum.example',
  '/api/intake',
  'http://forum.example/',
  'http://127.0.0.1.evil.example/',
  'http://localhost.evil.example/',
  'http://10.0.0.1/',
  'http://[::ffff:10.0.0.1]/',
  'ftp://127.0.0.1/',
  'file:///etc/passwd',
  'https://user:password@forum.example/',
  'https://token@forum.example/',
  'https://forum.example/#x',
])('%s cannot', (address) => {
  expect(mistakeInAddress(address)).not.toBeNull();
});
