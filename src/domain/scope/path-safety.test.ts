import { expect, test } from 'vitest';
import { pathTwins } from './path-safety.ts';

test.each([
  ['a file', ['foo.txt'], ['Foo.txt'], { spelled: 'foo.txt', first: 'Foo.txt' }],
  ['a directory beside a file', ['case.TXT/x'], ['Case.txt'], { spelled: 'case.TXT', first: 'Case.txt' }],
  ['a file beside a directory', ['lib'], ['Lib/a', 'b'], { spelled: 'lib', first: 'Lib' }],
  ['a directory of another spelling', ['SRC/b'], ['src/a'], { spelled: 'SRC', first: 'src' }],
  ['two new ones', ['A/x', 'a/y'], [], { spelled: 'a', first: 'A' }],
  ['composed and decomposed', ['caf\u0065\u0301'], ['caf\u00e9'], { spelled: 'cafe\u0301', first: 'caf\u00e9' }],
])('S9: %s is a twin', (_name, added, before, twin) => {
  expect(pathTwins(added, before)).toEqual([{ path: added.at(-1), ...twin }]);
});

test.each([
  ['other names', ['b', 'src/c'], ['a', 'src/a']],
  ['what the base has', ['Foo/new'], ['Foo/a', 'foo/a']],
  ['nothing new', [], ['Foo', 'foo']],
])('%s are none', (_name, added, before) => {
  expect(pathTwins(added, before)).toEqual([]);
});
