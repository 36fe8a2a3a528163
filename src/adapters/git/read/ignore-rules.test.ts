import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ignoreRules } from './ignore-rules.ts';

const name = fc.constantFrom('a', 'b', 'B', 'ab', 'a.log', '.x', 'a b', 'é');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const piece = fc.constantFrom(
  'a',
  'b',
  '*',
  '?',
  '*.log',
  '**',
  '.x',
  '[ab]',
  'a*',
  '[!a]',
  'é',
  'a\\ b',
  '[^b-z]',
  '[]a]',
  '***',
  'a**',
  '[[:alpha:]]',
  'ab?',
  'a[',
  '\\!x',
  '[a',
);
const pattern = fc
  .record({
    not: fc.constantFrom('', '', '!'),
    top: fc.constantFrom('', '', '/'),
    pieces: fc.array(piece, { minLength: 1, maxLength: 3 }),
    end: fc.constantFrom('', '', '/', ' ', '\\ ', '\r'),
  })
  .map(({ not, top, pieces, end }) => `${not}${top}${pieces.join('/')}${end}`);
const patterns = fc.array(fc.oneof({ weight: 9, arbitrary: pattern }, fc.constant('# a')), { maxLength: 5 });
const example = fc.record({ top: patterns, inner: patterns, paths: fc.uniqueArray(path, { maxLength: 6 }) });

test('rules say what git says, for any patterns at two levels', () => {
  const examples = fc.sample(example, { numRuns: 120, seed: 20261115 });
  const root = mkdtempSync(join(tmpdir(), 'tidegate-test-'));
  try {
    execFileSync('git', ['init', '--quiet', root]);
    const asked: string[] = [];
    const ours: string[] = [];
    for (const [index, { top, inner, paths }] of examples.entries()) {
      const at = join(root, String(index));
      mkdirSync(join(at, 'a'), { recursive: true });
      writeFileSync(join(at, '.gitignore'), top.join('\n'));
      writeFileSync(join(at, 'a/.gitignore'), inner.join('\n'));
      const files = new Map([
        ['', top.join('\n')],
        ['a', inner.join('\n')],
      ]);
      const ignored = walking(ignoreRules(files));
      for (const one of paths.filter((file) => file !== 'a' && !paths.some((other) => other.startsWith(`${file}/`)))) {
        mkdirSync(dirname(join(at, one)), { recursive: true });
        writeFileSync(join(at, one), '');
        asked.push(`${index}/${one}`);
        if (ignored(one)) ours.push(`${index}/${one}`);
      }
    }
    expect(ours).toEqual(gitsAnswer(root, asked));
    expect(ours.length).toBeGreaterThan(20);
  } finally {
    rmSync(root, { recursive: true });
  }
});

/** As the walk does it: from the top down, and nothing comes back below an ignored directory. */
const walking = (rules: (path: string, isDirectory: boolean) => boolean) => (asked: string) => {
  for (let end = asked.indexOf('/'); end > 0; end = asked.indexOf('/', end + 1))
    if (rules(asked.slice(0, end), true)) return true;
  return rules(asked, false);
};

function gitsAnswer(root: string, paths: readonly string[]): string[] {
  const options = { cwd: root, input: paths.join('\0'), encoding: 'utf8' as const };
  const out = execFileSync('git', ['check-ignore', '--no-index', '-z', '--stdin'], options);
  return out.split('\0').slice(0, -1);
}
