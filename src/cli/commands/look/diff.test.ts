import { expect, test } from 'vitest';
import { namedChanges } from './diff.ts';

const changed = ['package.json', 'web/package.json', 'web/src/a.ts', 'lib/b.ts'];

test.each([
  ['/repo', ['package.json'], ['package.json']],
  ['/repo/web', ['package.json'], ['web/package.json']],
  ['/repo/web', ['../package.json', 'src/a.ts'], ['package.json', 'web/src/a.ts']],
  ['/repo/web', ['lib/b.ts'], ['lib/b.ts']],
  ['/repo/web', ['.'], ['web/package.json', 'web/src/a.ts']],
  ['/repo', ['web/'], ['web/package.json', 'web/src/a.ts']],
  ['/repo/web', ['/repo/lib/b.ts'], ['lib/b.ts']],
  ['/elsewhere', ['lib/b.ts'], ['lib/b.ts']],
])('from %s %j names %j', (cwd, names, paths) => {
  expect(namedChanges(names, { checkout: '/repo', cwd }, changed)).toEqual({ ok: true, value: new Set(paths) });
});

test.each([
  ['/repo', 'packag.json', false],
  ['/repo', 'web/src/a', false],
  ['/repo', '../package.json', true],
  ['/repo', '/etc/passwd', true],
])('from %s %s is no change', (cwd, name, isOutside) => {
  expect(namedChanges([name], { checkout: '/repo', cwd }, changed)).toEqual({ ok: false, error: { name, isOutside } });
});
