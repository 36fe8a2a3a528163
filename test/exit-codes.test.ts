import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exitCodes } from '../src/cli/frame/command.ts';

const sourceOf = (...patterns: string[]): string =>
  patterns
    .flatMap((pattern) => globSync(pattern))
    .filter((file) => !file.includes('.test.'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');

const page = readFileSync('docs/reference/exit-codes.md', 'utf8');
const documented = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));

/** Codes that a process of ours ends with, read from its source. */
function producedCodes(): readonly number[] {
  const cli = sourceOf('src/**/*.ts');
  const named = Object.entries(exitCodes).filter(([name]) => new RegExp(`exitCodes\\.${name}\\b`).test(cli));
  const starters = sourceOf('bin/*.cjs', 'src/main/cli.ts', 'src/main/supervisor.ts', 'src/main/merger.ts');
  const literal = [...starters.matchAll(/process\.exit(?:Code = |\()(\d+)/g)].map(([, code]) => Number(code));
  return [...new Set([...named.map(([, code]) => code), ...literal])].toSorted((a, b) => a - b);
}

test('F25: every documented exit code has a producer, and every produced one is documented', () => {
  expect(documented.length).toBeGreaterThan(6);
  expect(documented.toSorted((a, b) => a - b)).toEqual(producedCodes());
});

test('F25: a Node that is too old ends with the documented 78', () => {
  const old = "Object.defineProperty(process.versions, 'node', { value: '18.20.0' }); require('./bin/tidegate.cjs')";
  const ended = spawnSync(process.execPath, ['-e', old], { encoding: 'utf8' });
  expect([ended.status, ended.stderr]).toEqual([78, expect.stringContaining('needs Node 24 or newer')]);
  expect(documented).toContain(78);
});
