import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleClient } from '../scripts/bundle.ts';

const root = mkdtempSync(join(tmpdir(), 'tidegate-client-'));
let chunks: Awaited<ReturnType<typeof bundleClient>>;

/** The package as npm would pack it, with a client that was made just now, installed for somebody else's program. */
beforeAll(async () => {
  const source = join(root, 'source');
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly files: readonly string[] };
  mkdirSync(join(source, 'dist'), { recursive: true });
  for (const file of ['package.json', ...files.filter((name) => !name.startsWith('dist/') && existsSync(name))])
    cpSync(file, join(source, file), { recursive: true });
  chunks = await bundleClient(join(source, 'dist'));
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', root], { cwd: source });
  const tarball = readdirSync(root).find((name) => name.endsWith('.tgz')) ?? '';
  const installed = join(root, 'program/node_modules/tidegate');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(root, tarball), '-C', installed, '--strip-components', '1']);
});
afterAll(() => rmSync(root, { recursive: true }));

test('the published client is one file without a library, and knows every route', () => {
  expect(chunks.map(({ fileName }) => fileName)).toEqual(['client.js']);
  expect(chunks[0]?.imports).toEqual([]);
  expect(chunks[0]?.moduleIds.filter((id) => id.includes('node_modules'))).toEqual([]);
  expect(chunks[0]?.code).not.toMatch(/\bfrom\s*['"]node:|\brequire\(|\bprocess\./);
  expect(chunks[0]?.code.length).toBeLessThan(40_000);
});

describe('a program that installed it', () => {
  test('imports it by its name', () => {
    const says = run(
      'import { tidegateClient, TidegateProblem } from "tidegate/client"; ' +
        'const client = tidegateClient({ url: "http://127.0.0.1:1" }); ' +
        'console.log(typeof client.run, typeof TidegateProblem, import.meta.resolve("tidegate/schemas/openapi.json").split("/").at(-1));',
    );
    expect(says.stdout).toBe('function function openapi.json\n');
  });

  test('cannot import what is not published', () => {
    expect(run('await import("tidegate/dist/main/cli.js");').stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  test('is held to the types by tsc --strict', () => {
    expect(compile(rightProgram)).toEqual([]);
    expect(compile(wrongProgram)).toEqual([
      'program.ts(4',
      'program.ts(5',
      'program.ts(6',
      'program.ts(7',
      'program.ts(8',
    ]);
  });

  test('can be what the documentation shows', () => {
    const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync('docs/how-to/programs.md', 'utf8')) ?? [];
    expect(example).toContain('tidegate/client');
    expect(compile(example)).toEqual([]);
  });

  test('sees the types that the source infers', () => {
    const inferred = JSON.stringify(resolve('src/contract/client.ts'));
    const says = compile(
      `
import type { TidegateClient as Published } from 'tidegate/client';
import type { TidegateClient as Inferred } from ${inferred};
type Same<A, B> = { [Name in keyof A | keyof B]: Name extends keyof A & keyof B ? SameCall<A[Name], B[Name]> : Name };
type SameCall<A, B> = [A] extends [(...given: infer G) => infer R]
  ? [B] extends [(...given: infer H) => infer S]
    ? [Equal<Required<G>, Required<H>>, Equal<R, S>] : 'no function' : 'no function';
type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : 'the published one is wider') : 'the published one lacks something';
declare const same: Same<Inferred, Published>;
export const all: Record<keyof Inferred, [true, true]> = same;
`,
      // the sources that the types are inferred from belong to Node
      ...['--skipLibCheck', '--types', 'node', '--typeRoots', resolve('node_modules/@types')],
    );
    expect(says).toEqual([]);
  });
});

const rightProgram = `import { type Run, TidegateProblem, tidegateClient } from 'tidegate/client';
const client = tidegateClient({ url: 'http://127.0.0.1:3847', token: 'tg-read-x' });
export async function standing(repository: string, run: string): Promise<string> {
  try {
    const found: Run = await client.run({ repository, run, at: 12 });
    const { items } = await client.runs({ repository, limit: 5 });
    let log = '';
    for await (const chunk of await client.log({ repository, run, task: 't', attempt: 1 }, { range: { last: 100 } })) log += chunk;
    await client.approve({ repository, run }, { hash: found.plan.hash }, { key: 'once' });
    await client.pause({ repository, run });
    return [found.mode.mode, items[0]?.run ?? '', log].join();
  } catch (error) {
    if (error instanceof TidegateProblem) return error.problem.field ?? error.problem.type;
    throw error;
  }
}
`;

const wrongProgram = `import { tidegateClient } from 'tidegate/client';
const client = tidegateClient({ url: 'http://127.0.0.1:3847' });
export const all = [
  client.run({ repository: 'r' }),
  client.runs({ repository: 'r', limits: 5 }),
  client.approve({ repository: 'r', run: 'x' }),
  client.run({ repository: 'r', run: 'x' }).then(({ nothing }) => nothing),
  client.noSuchRoute(),
];
`;

function run(program: string) {
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: join(root, 'program'),
    encoding: 'utf8',
    env: {},
  });
}

/** Where tsc finds mistakes. */
function compile(program: string, ...more: readonly string[]): readonly string[] {
  const file = join(root, 'program', 'program.ts');
  writeFileSync(file, program);
  const strict = ['--strict', '--noEmit', '--exactOptionalPropertyTypes', '--allowImportingTsExtensions'];
  const how = ['--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,dom,dom.iterable,dom.asynciterable'];
  const said = spawnSync(resolve('node_modules/.bin/tsc'), [...strict, ...how, ...more, file], {
    cwd: join(root, 'program'),
    encoding: 'utf8',
  });
  return said.stdout
    .split('\n')
    .flatMap((line) => (line.includes('error TS') ? [line] : []))
    .map(place);
}

const place = (line: string): string => /^program\.ts\(\d+/.exec(line)?.[0] ?? line;
