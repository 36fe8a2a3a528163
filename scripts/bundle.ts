import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type OutputChunk, rolldown } from 'rolldown';
import packageJson from '../package.json' with { type: 'json' };

/**
 * Puts the processes that people wait for into few files, in place of those that the compiler wrote; both work. Node
 * spends about a millisecond on each module it loads, and a start of ours would load a hundred or two.
 * A module lies only in files that are loaded by processes and commands that import it.
 */
export async function bundle(directory: string): Promise<readonly OutputChunk[]> {
  for (const old of globSync(`${directory}/main/chunk-*`)) rmSync(old);
  await using made = await rolldown({
    input: Object.fromEntries(processes.map((name) => [name, inPackage(`src/main/${name}.ts`)])),
    platform: 'node',
  });
  // All beside one another: other files of the package are found relative to `main/`.
  const { output } = await made.write({
    dir: `${directory}/main`,
    chunkFileNames: 'chunk-[name].js',
    sourcemap: true,
  });
  const libraries = Object.keys(packageJson.dependencies);
  writeFileSync(`${directory}/third-party-licenses.txt`, libraries.map(licence).join('\n'));
  return output.filter((file) => file.type === 'chunk');
}

const processes = ['cli', 'merger', 'supervisor'];

function licence(library: string): string {
  const [file] = globSync(inPackage(`node_modules/${library}/LICEN[CS]E*`));
  if (file === undefined) throw new Error(`${library} has no licence that could be given on`);
  return `${library}\n\n${readFileSync(file, 'utf8')}`;
}

function inPackage(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

if (import.meta.main) await bundle(inPackage('dist'));
