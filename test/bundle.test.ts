import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../scripts/bundle.ts';
import { project } from './support/project.ts';

const root = mkdtempSync(join(tmpdir(), 'tidegate-bundle-'));
let chunks: Awaited<ReturnType<typeof bundle>>;

beforeAll(async () => {
  chunks = await bundle(join(root, 'dist'));
  cpSync('package.json', join(root, 'package.json'));
});
afterAll(() => rmSync(root, { recursive: true }));

test('the command line runs from its own files, wherever they lie', async () => {
  await using scene = await project({ plan: { tasks: { a: { do: 'A.', agent: 'command', command: ['true'] } } } });
  const lint = () =>
    execFileSync(process.execPath, [join(root, 'dist/main/cli.js'), 'lint', 'plan.yaml'], {
      cwd: scene.checkout,
      env: { PATH: process.env['PATH'] },
      encoding: 'utf8',
    });
  expect(lint()).toContain('1 task');
});

test('no file that the command line may load holds what writes git', () => {
  const writes = (file: string): boolean =>
    chunkOf(file).moduleIds.some((module) =>
      /\/src\/(?:adapters\/(?:git\/write|git\/bare|snapshot)|merger)\//.test(module),
    );
  expect([...reachable('cli.js')].filter(writes)).toEqual([]);
  expect([...reachable('merger.js')].filter(writes)).toEqual(['chunk-merger-start.js']);
});

test('the library of agents that speak the protocol is loaded for them only', () => {
  const holders = chunks.filter(({ moduleIds }) => moduleIds.some((id) => id.includes('@agentclientprotocol')));
  expect(holders.map(({ fileName }) => fileName.includes('supervisor'))).toEqual([false, true]);
  const isExecutor = ({ moduleIds }: (typeof chunks)[number]): boolean =>
    moduleIds.every((id) => /\/src\/agents\/\w+\/(?!facts)/.test(id));
  const importers = chunks.filter(({ imports }) => holders.some(({ fileName }) => imports.includes(fileName)));
  expect(importers.filter((chunk) => !isExecutor(chunk)).map(({ fileName }) => fileName)).toEqual([]);
  const plain = importers.filter(({ moduleIds }) =>
    moduleIds.some((id) => /(?:claude|codex|opencode)\/stream/.test(id)),
  );
  expect(plain.map(({ fileName }) => fileName)).toEqual([]);
});

test('the library of MCP is loaded by nobody but who serves it to people', () => {
  const holders = chunks.filter(({ moduleIds }) => moduleIds.some((id) => id.includes('@modelcontextprotocol')));
  expect(holders.map(({ fileName }) => fileName)).toEqual(['chunk-mcp-server.js']);
  expect(
    chunks.filter(({ imports }) => imports.includes('chunk-mcp-server.js')).map(({ fileName }) => fileName),
  ).toEqual([]);
});

test('the terminal UI is loaded by nobody but a person at a terminal', () => {
  const holders = chunks.filter(({ moduleIds }) => moduleIds.some((id) => /node_modules\/(?:ink|react)\//.test(id)));
  expect(holders.map(({ fileName }) => fileName).sort()).toEqual(['chunk-devtools.js', 'chunk-screen.js']);
  const importers = chunks.filter(({ imports }) =>
    imports.some((name) => holders.some((file) => file.fileName === name)),
  );
  expect(importers.map(({ fileName }) => fileName)).toEqual([]);
});

test('a command loads few files, and what starts all of them loads no plan', () => {
  const started = (file: string, seen: Set<string> = new Set()): ReadonlySet<string> => {
    if (seen.has(file)) return seen;
    seen.add(file);
    for (const next of chunkOf(file).imports.filter((name) => name.endsWith('.js'))) started(next, seen);
    return seen;
  };
  expect([...started('cli.js')].sort()).toEqual(['chunk-start.js', 'cli.js']);
  expect(started('merger.js').size).toBeLessThan(3);
  expect(started('supervisor.js').size).toBeLessThan(3);
  const parsers = chunks.filter(({ moduleIds }) =>
    moduleIds.some((id) => /node_modules\/(?:yaml|smol-toml)\//.test(id)),
  );
  const early = [...started('merger.js'), ...started('supervisor.js')];
  expect(parsers.filter(({ fileName }) => early.includes(fileName)).map(({ fileName }) => fileName)).toEqual([]);
  for (const command of ['run', 'status', 'land']) expect(started(`chunk-${command}.js`).size).toBeLessThan(12);
});

function reachable(file: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const { imports, dynamicImports } = chunkOf(file);
  for (const next of [...imports, ...dynamicImports].filter((name) => name.endsWith('.js'))) reachable(next, seen);
  return seen;
}

function chunkOf(file: string) {
  const chunk = chunks.find(({ fileName }) => fileName === file);
  if (chunk === undefined) throw new Error(`there is no ${file}`);
  return chunk;
}
