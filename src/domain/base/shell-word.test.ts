import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellPath, shellWord } from './safe-text.ts';

const words = (command: string): string[] =>
  spawnSync('/bin/sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8', cwd: '/' })
    .stdout.split('\0')
    .slice(0, -1);

test('a plain word stays as it is', () => {
  expect(shellWord('src/app.test.ts')).toBe('src/app.test.ts');
  expect(shellPath('-rf')).toBe('./-rf');
});

test.each(['$(touch x)', '`id`', 'a; rm -rf ~', "it's", '"', '*', '~', 'a\nb', '!x', '', '#x', '$HOME', '\\'])(
  'a shell takes %j for one word and nothing more',
  (name) => expect(words(shellWord(name))).toEqual([name]),
);

test('so it does with any name', () => {
  const name = fc.string({ unit: fc.constantFrom(...'ab$`\'"\\;&|<>()*?[]{}~#! \n\t=-é') });
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 20 }), (names) => {
      expect(words(names.map(shellWord).join(' '))).toEqual(names);
    }),
    { numRuns: 40 },
  );
});
