import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalHost, hostOfUrl, hostPatterns, isListed, listCovers, parseHostPattern } from './network-hosts.ts';

const reaches = (list: readonly string[], host: string, port = 443): boolean => {
  const canonical = canonicalHost(host);
  return canonical !== null && isListed(hostPatterns(list), canonical, port);
};

describe('a host', () => {
  test.each([
    ['Example.ORG', 'example.org'],
    ['example.org.', 'example.org'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['XN--Bcher-kva.example', 'xn--bcher-kva.example'],
    // Full-width letters and dots are the same name to whoever resolves it.
    ['ｅｘａｍｐｌｅ.org', 'example.org'],
    ['my_host.internal', 'my_host.internal'],
  ])('%s is the name %s', (text, name) => {
    expect(canonicalHost(text)).toEqual({ kind: 'name', name });
  });
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0x7f.0.0.1', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['１２７.0.0.1', '127.0.0.1'],
    ['[::ffff:127.0.0.1]', '127.0.0.1'],
    ['[::FFFF:7F00:1]', '127.0.0.1'],
    ['[0:0:0:0:0:0:0:1]', '[::1]'],
    ['[2001:DB8::0001]', '[2001:db8::1]'],
  ])('%s is the address %s', (text, address) => {
    expect(canonicalHost(text)).toEqual({ kind: 'address', address });
  });
  test.each([
    ...['', '.', '..', 'a..b', 'example.org\0.evil.org', 'a b', 'user@example.org', 'example.org/x', 'example.org\\x'],
    ...[
      'ex%61mple.org',
      'example.org#',
      'example.org?',
      '::1',
      '[::1',
      '[fe80::1%eth0]',
      '256.256.256.256',
      '1.2.3.4.5',
    ],
    ...['example.org:443', '*', 'a\tb.org', 'a\nb.org', `${'a'.repeat(64)}.org`, `${'a.'.repeat(140)}org`],
  ])('%j is none', (text) => {
    expect(canonicalHost(text)).toBeNull();
  });
});

describe('a list of hosts', () => {
  test('lets its names through on the usual ports, and on others only when it says so', () => {
    const list = ['example.org', 'git.example.org:9418'];
    expect([443, 80, 8443, 22].map((port) => reaches(list, 'example.org', port))).toEqual([true, true, false, false]);
    expect([9418, 443].map((port) => reaches(list, 'git.example.org', port))).toEqual([true, false]);
  });
  test('means by a star all names below, at any depth, and not the name itself', () => {
    const list = ['*.example.org'];
    const hosts = ['a.example.org', 'a.b.example.org', 'example.org', 'notexample.org', 'example.org.evil.net'];
    expect(hosts.map((host) => reaches(list, host))).toEqual([true, true, false, false, false]);
  });
  test('lets an address through only when it names that address', () => {
    expect(reaches(['*.example.org', 'example.org'], '127.0.0.1')).toBe(false);
    expect(reaches(['127.0.0.1:3000'], '127.0.0.1', 3000)).toBe(true);
    expect(reaches(['127.0.0.1:3000'], '0x7f000001', 3000)).toBe(true);
    expect(reaches(['127.0.0.1:3000'], '127.0.0.1', 3001)).toBe(false);
    expect(reaches(['[::1]:3000'], '[0::1]', 3000)).toBe(true);
  });
  test.each([
    '*',
    'a.*',
    '*.*',
    '*x.org',
    'https://example.org',
    'example.org/',
    '*.com',
    '*.1.2.3.4',
    'a:0',
    'a:70000',
  ])('does not take %s', (text) => {
    expect(parseHostPattern(text).ok).toBe(false);
  });
});

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'));
const port = fc.option(fc.constantFrom(80, 443, 8080), { nil: null });
const pattern = fc
  .tuple(fc.boolean(), name, port)
  .map(([below, host, only]) => `${below ? '*.' : ''}${host}${only === null ? '' : `:${only}`}`);

describe('for all names', () => {
  test('case, a dot at the end and full width change nothing', () => {
    fc.assert(
      fc.property(name, fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }), (host, upper) => {
        const cased = [...host].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter)).join('');
        const wide = [...host].map((letter) =>
          letter === '.' ? letter : String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0),
        );
        for (const spelling of [cased, `${cased}.`, wide.join('')]) expect(reaches([host], spelling)).toBe(true);
      }),
    );
  });
  test('what is let through ends with a listed name at a dot', () => {
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 4 }), name, fc.constantFrom(80, 443, 8080), (list, host, wanted) => {
        const expected = list.some((text) => {
          const [named = '', only] = text.replace('*.', '').split(':');
          const isHost = text.startsWith('*.') ? host.endsWith(`.${named}`) : host === named;
          return isHost && (only === undefined ? wanted !== 8080 : Number(only) === wanted);
        });
        expect(reaches(list, host, wanted)).toBe(expected);
      }),
    );
  });
  test('a list that covers another lets through whatever that lets through', () => {
    const near = fc.constantFrom('a.org', 'b.a.org', '*.a.org', '*.b.a.org', 'a.org:8080', '*.a.org:443', 'b.a.org:80');
    const lists = fc.tuple(fc.array(near, { maxLength: 3 }), fc.array(near, { maxLength: 3 }));
    const places = ['a.org', 'b.a.org', 'c.b.a.org', 'c.a.org'].flatMap((host) =>
      [80, 443, 8080].map((at) => [host, at] as const),
    );
    fc.assert(
      fc.property(lists, ([outer, inner]) => {
        const wider = places.filter(([host, at]) => reaches(inner, host, at) && !reaches(outer, host, at));
        // The other way round two patterns may cover a third only together, which is not looked for.
        if (listCovers(outer, inner)) expect(wider).toEqual([]);
        if (wider.length > 0) expect(listCovers(outer, inner)).toBe(false);
      }),
    );
    expect(listCovers(['*.a.org'], ['*.b.a.org', 'x.a.org:443'])).toBe(true);
    expect(listCovers(['*.a.org'], ['a.org'])).toBe(false);
    expect(listCovers(['a.org:443'], ['a.org'])).toBe(false);
    expect(listCovers(['a.org:443', 'a.org:80'], ['a.org'])).toBe(true);
  });
});

test('the host of a URL is what has to be listed for it', () => {
  expect(
    ['https://api.anthropic.com/v1', 'http://127.0.0.1:4000/x', 'https://a.org:80', 'nothing'].map(hostOfUrl),
  ).toEqual(['api.anthropic.com', '127.0.0.1:4000', 'a.org', null]);
});
