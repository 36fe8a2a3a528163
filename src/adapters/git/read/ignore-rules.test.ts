import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openIgnoreRules } from './ignore-rules.ts';

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

test('rules say of a name alone what git says of the tree, for any patterns at two levels', async () => {
  const examples = fc.sample(example, { numRuns: 120, seed: 20261115 });
  const root = mkdtempSync(join(tmpdir(), 'tidegate-test-'));
  try {
    execFileSync('git', ['init', '--quiet', root]);
    const files = new Map<string, string>();
    const entries: string[] = [];
    for (const [index, { top, inner, paths }] of examples.entries()) {
      files.set(`${index}`, top.join('\n')).set(`${index}/a`, inner.join('\n'));
      const leaves = paths.filter((file) => file !== 'a' && !paths.some((other) => other.startsWith(`${file}/`)));
      const directories = new Set(leaves.map((leaf) => dirname(leaf)).filter((directory) => directory !== '.'));
      entries.push(
        ...[...leaves, ...[...directories].map((directory) => `${directory}/`)].map((path) => `${index}/${path}`),
      );
    }
    for (const [directory, text] of files) write(join(root, directory, '.gitignore'), text);
    for (const entry of entries) if (!entry.endsWith('/')) write(join(root, entry), '');
    await using rules = openIgnoreRules(files);
    const answers = await rules.ignores(entries);
    const asked = entries.map((entry) => entry.replace(/\/$/, ''));
    const ours = asked.filter((_, at) => answers[at] === true);
    expect(ours).toEqual(gitsAnswer(root, asked));
    expect(ours.length).toBeGreaterThan(20);
  } finally {
    rmSync(root, { recursive: true });
  }
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function gitsAnswer(root: string, paths: readonly string[]): string[] {
  const options = { cwd: root, input: paths.join('\0'), encoding: 'utf8' as const };
  const out = execFileSync('git', ['check-ignore', '--no-index', '-z', '--stdin'], options);
  return out.split('\0').slice(0, -1);
}

test('rules take any name that a directory can hold', async () => {
  const files = new Map([
    ['', '*.log\nkept/\n!b.log\n'],
    ['in', '!c.log\n'],
    ['../out', '*\n'],
  ]);
  await using rules = openIgnoreRules(files);
  const names = [
    ':(top)a.log',
    'a\nb.log',
    '!a.log',
    '#.log',
    '*.log',
    ' .log',
    '.git/a.log',
    'a.log/',
    'é.log',
    'b.log',
    'in/c.log',
  ];
  const directories = [
    'y/kept',
    'kept/',
    'x/kept/',
    'kept/in/b.log',
    '.gitignore/',
    '.gitignore/kept/',
    `${'d/'.repeat(3_000)}kept/`,
  ];
  const [ofNames, ofDirectories] = await Promise.all([rules.ignores(names), rules.ignores(directories)]);
  expect(names.filter((_, at) => ofNames[at] !== true)).toEqual(['b.log', 'in/c.log']);
  expect(directories.filter((_, at) => ofDirectories[at] !== true).map((path) => path.slice(0, 20))).toEqual([
    'y/kept',
    '.gitignore/',
    '.gitignore/kept/',
    'd/'.repeat(10),
  ]);
  expect(await openIgnoreRules(new Map([['', '']])).ignores(['a.log'])).toEqual([false]);
});
