import { readFileSync } from 'node:fs';

/** Names of the failpoints in these files of src/merger/, read from the source so that none is forgotten. */
export function failpointsIn(...files: readonly string[]): readonly string[] {
  return files.flatMap((file) => {
    const source = readFileSync(new URL(`../../src/merger/${file}.ts`, import.meta.url), 'utf8');
    return [...source.matchAll(/failpoint\('([^']+)'\)/g)].map(([, name]) => name ?? '');
  });
}
