import { expect, test } from 'vitest';
import { isPageKey, oneTimeLinks, visitOf } from './keys.ts';

const secret = Buffer.alloc(32, 1);
function scene() {
  let time = 0;
  return {
    links: oneTimeLinks(
      () => secret,
      () => time,
    ),
    at: (now: number) => {
      time = now;
    },
  };
}

test('a link gives its cookie and the page key of it once', () => {
  const { links } = scene();
  const { code } = links.make('operate');
  const taken = links.take(code);
  const [cookie, until] = [taken?.cookie ?? '', (taken?.seconds ?? 0) * 1_000];
  expect(visitOf(secret, cookie, 0)).toEqual({ role: 'operate', until });
  expect(visitOf(secret, cookie, until)).toBeNull();
  expect(isPageKey(secret, cookie, taken?.pageKey ?? '')).toBe(true);
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

test('none of before is any good once they are cleared', () => {
  const { links } = scene();
  const { code } = links.make('read');
  links.clear();
  expect(links.take(code)).toBeNull();
});
