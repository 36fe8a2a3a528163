import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type OutputChunk, rolldown } from 'rolldown';
import { commandSummaries } from '../src/cli/commands/summaries.ts';
import { wire } from '../src/contract/wire.ts';
import { clientTypes } from './client-types.ts';

/**
 * Puts the processes that people wait for into few files, in place of those that the compiler wrote; both work. Node
 * spends about a millisecond on each module it loads, and a start of ours would load a hundred or two.
 * Each process is built alone: no file of one holds a module that only another imports.
 */
export async function bundle(directory: string): Promise<readonly OutputChunk[]> {
  for (const old of globSync(`${directory}/main/chunk-*`)) rmSync(old);
  const chunks = (await Promise.all(processes.map((name) => bundleProcess(directory, name)))).flat();
  writeFileSync(`${directory}/third-party-licenses.txt`, librariesIn(chunks).map(licence).join('\n'));
  return chunks;
}

async function bundleProcess(directory: string, name: (typeof processes)[number]): Promise<readonly OutputChunk[]> {
  await using made = await rolldown({
    input: { [name]: inPackage(`src/main/${name}.ts`) },
    platform: 'node',
    // Ink's window into React is for its own developers; it is never opened, and not installed.
    external: ['react-devtools-core'],
    plugins: name === 'merger' ? [withoutExecutors] : [summaryData],
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    // What one command loads late is in what another has anyway.
    checks: { ineffectiveDynamicImport: false },
  });
  // All beside one another: other files of the package are found relative to `main/`.
  const { output } = await made.write({
    dir: `${directory}/main`,
    chunkFileNames: name === 'cli' ? 'chunk-[name].js' : `chunk-${name}-[name].js`,
    sourcemap: true,
    codeSplitting: { groups: name === 'cli' ? [initial(name), ...together] : [initial(name)] },
  });
  return output.filter((file) => file.type === 'chunk');
}

/** All that a process loads at once. The entry itself waits for what it runs: nothing may wait for it. */
const initial = (name: string) => ({
  name: 'start',
  tags: ['$initial' as const],
  test: (id: string) => !id.endsWith(`/src/main/${name}.ts`),
});

/** `--help` shows the summaries of all commands. As data they need no command to be loaded. */
const summaryData = {
  name: 'summary-data',
  load: async (id: string) =>
    id === inPackage('src/cli/commands/summaries.ts')
      ? `export const commandSummaries = async () => (${JSON.stringify(await commandSummaries())});`
      : null,
};

/** The merger reads facts about agents and starts none: the executors that the facts name are left out of its files. */
const withoutExecutors = {
  name: 'without-executors',
  resolveId: (id: string, importer: string | undefined) =>
    /\/src\/agents\/\w+\/facts\.ts$/.test(importer ?? '') && id.startsWith('./') ? 'no-executor' : null,
  load: (id: string) => (id === 'no-executor' ? "throw new Error('the merger starts no agent');" : null),
};

/**
 * What commands have in common, each with all that it imports and that is in none before it. Left alone, every set of commands
 * that share a module would get a file of its own.
 */
const together = [
  // no library in it: completion loads all commands, and needs no more
  { name: 'domain', test: /\/src\/(?:domain|engine|pipeline|planner|ports)\// },
  { name: 'view', test: /\/src\/view\// },
  { name: 'plan', test: /\/src\/main\/compose\/plans\.ts$/ },
  { name: 'repository', test: /\/src\/main\/compose\/open-repository\.ts$/ },
  { name: 'foreground', test: /\/src\/cli\/follow\/foreground\.ts$/ },
];

/**
 * The client that others install (`tidegate/client`): one file for browsers and Node alike. It holds what it needs of the routes as
 * data, and thereby no library.
 */
export async function bundleClient(directory: string): Promise<readonly OutputChunk[]> {
  const wireData = {
    name: 'wire-data',
    load: (id: string) =>
      id === inPackage('src/contract/wire.ts') ? `export const wire = ${JSON.stringify(wire)};` : null,
  };
  await using made = await rolldown({
    input: { client: inPackage('src/contract/client.ts') },
    platform: 'browser',
    plugins: [wireData],
  });
  const { output } = await made.write({ dir: directory });
  writeFileSync(`${directory}/client.d.ts`, clientTypes());
  return output.filter((file) => file.type === 'chunk');
}

const processes = ['cli', 'merger', 'supervisor'] as const;

/** Every package of which something lies in our files, also those that only libraries use. */
function librariesIn(chunks: readonly OutputChunk[]): readonly string[] {
  const inner = chunks.flatMap(({ moduleIds }) =>
    moduleIds.flatMap((id) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []),
  );
  return [...new Set(inner)].sort();
}

function licence(library: string): string {
  const [file] = globSync(inPackage(`node_modules/${library}/{LICEN[CS]E,licen[cs]e}*`));
  return `${library}\n\n${file === undefined ? namedLicence(library) : readFileSync(file, 'utf8')}`;
}

/** Some packages name their licence and whose it is, but do not carry its text. */
function namedLicence(library: string): string {
  const { license, author } = JSON.parse(readFileSync(inPackage(`node_modules/${library}/package.json`), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${library} has no licence that could be given on`);
  return `Licence: ${license}${typeof author === 'string' ? `, ${author}` : ''}\n`;
}

function inPackage(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}
