import { expect, test } from 'vitest';
import { roleOfCookie } from './keys.ts';
import { oneTimeLinks } from './links.ts';

const secret = Buffer.alloc(32, 1);
function scene() {
  let time = 0;
  return {
    links: oneTimeLinks(secret, () => time),
    at: (now: number) => {
      time = now;
    },
  };
}

test('a link gives its cookie once', () => {
  const { links } = scene();
  const { code } = links.make('operate');
  const taken = links.take(code);
  expect(roleOfCookie(secret, taken?.cookie ?? '', 0)).toBe('operate');
  expect(roleOfCookie(secret, taken?.cookie ?? '', (taken?.seconds ?? 0) * 1_000)).toBeNull();
  expect(links.take(code)).toBeNull();
});

test('one that is too old gives none, not even later', () => {
  const { links, at } = scene();
  const { code, expires } = links.make('read');
  at(expires);
  expect(links.take(code)).toBeNull();
  at(0);
  expect(links.take(code)).toBeNull();
});

test('guesses give nothing, and codes have 256 bits', () => {
  const { links } = scene();
  const { code } = links.make('read');
  expect(Buffer.from(code, 'base64url')).toHaveLength(32);
  for (const guess of ['', 'x', code.slice(1), code.toLowerCase(), '__proto__'])
    if (guess !== code) expect(links.take(guess)).toBeNull();
  expect(links.take(code)).not.toBeNull();
});

test('a hundred are open at most: the oldest goes', () => {
  const { links } = scene();
  const codes = Array.from({ length: 101 }, () => links.make('read').code);
  expect(links.take(codes[0] ?? '')).toBeNull();
  expect(codes.slice(1).filter((code) => links.take(code) !== null)).toHaveLength(100);
});
