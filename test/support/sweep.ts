import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Every failpoint there is, read from the source so that none is forgotten. */
export function allFailpoints(): readonly string[] {
  const sources = globSync('src/**/*.ts', { cwd: new URL('../..', import.meta.url).pathname }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  const names = sources.flatMap((file) => {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    return [...text.matchAll(/failpoint\('([^']+)'\)/g)].map(([, name]) => name ?? '');
  });
  return [...new Set(names)].toSorted();
}

/** Arms one failpoint for all processes of a project, which count their hits together, and tells afterwards whether one was killed. */
export function armed(root: string, name: string, hit: number) {
  const tally = join(root, `hits-of-${name}`);
  return {
    env: { TIDEGATE_FAILPOINT: `${name}#${hit}@${tally}` },
    wasReached: () => existsSync(tally) && statSync(tally).size >= hit,
  };
}
