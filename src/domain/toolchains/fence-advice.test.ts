import { expect, test } from 'vitest';
import { pathToRead, readLine } from './fence-advice.ts';

const home = '/home/ann';
const shows = (...paths: readonly string[]) => ({
  home,
  shown: paths.map((path) => ({ path: `${home}/${path}`, rule: { rule: 'directory' } as const })),
});

test.each([
  // what it misses lies in the same installation
  [
    'flutter/bin/flutter',
    'cannot open /home/ann/flutter/packages/tools.dart: No such file',
    ['flutter/bin'],
    '~/flutter',
  ],
  // beside credentials: only the part that is missing
  ['.tool/bin/tool', "exec: '/home/ann/.tool/engine/run': not found", ['.tool/bin'], '~/.tool/engine'],
  ['.tool/bin/tool', 'exec: /home/ann/.tool/engine: not found', ['.tool/bin'], '~/.tool/engine'],
  // it says nothing of use
  ['sdk/bin/tool', 'failed', ['sdk/bin'], '~/sdk'],
  ['.tool/bin/tool', 'failed', ['.tool/bin'], '~/.tool/bin'],
  ['bin/tool', 'failed', ['bin'], '~/bin'],
  // it is not visible itself
  ['dev/tool', '', [], '~/dev/tool'],
  // what is visible, of the system, or home itself is not what is missing
  ['sdk/bin/tool', '/usr/lib/x /home/ann /home/ann/sdk/bin/a: not found', ['sdk/bin'], '~/sdk'],
] as const)('%s that prints "%s" wants %s … %s', (program, words, shown, wanted) => {
  const visible = shows(...shown);
  const path = pathToRead({ program: `${home}/${program}`, words, visible, isThere: () => true });
  expect(path.replace(home, '~')).toBe(wanted);
});

test('what is not there on the machine is not what the fence hides', () => {
  const failed = { program: `${home}/sdk/bin/tool`, words: `${home}/other/x: not found`, visible: shows('sdk/bin') };
  expect(pathToRead({ ...failed, isThere: () => false })).toBe(`${home}/sdk`);
});

test('the line for the configuration is YAML', () => {
  expect(readLine(['/home/ann/sdk'], home)).toBe('fence: { read: [~/sdk] }');
  expect(readLine(['/opt/a b: c', '/home/ann/x'], home)).toBe('fence: { read: ["/opt/a b: c", ~/x] }');
});
