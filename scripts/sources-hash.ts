import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** True when `dist/` was built from exactly these sources. */
export function isBuilt(checkout: string): boolean {
  const stamp = stampFile(checkout);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === sourcesHash(checkout);
}

export const stampFile = (checkout: string): string => join(checkout, 'dist/sources-hash');

/** A hash of all that a build reads. Times do not count: a copy of a checkout is built when the checkout is. */
export function sourcesHash(checkout: string): string {
  const patterns = ['src/**/*.{ts,tsx}', 'scripts/*.ts', 'package-lock.json'];
  const paths = globSync(patterns, { cwd: checkout }).filter((path) => !/\.test\.tsx?$/.test(path));
  const hash = createHash('sha256');
  for (const path of paths.sort())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(checkout, path)))
      .update('\0');
  return hash.digest('hex');
}
