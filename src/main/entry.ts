import { getCompileCacheDir } from 'node:module';
import { dirname, extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the program of another process. It lies beside this file, in the sources and in the build. */
export const entry = (name: 'cli' | 'merger' | 'supervisor' | 'fence-client'): string =>
  fileURLToPath(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url));

type Environment = Readonly<Record<string, string | undefined>>;

/** The programs of our own processes, and the environment that they get: the compile cache is passed on to them, but to no agent or git. */
export function ownProcesses(env: Environment) {
  const cache = getCompileCacheDir();
  return {
    node: process.execPath,
    merger: entry('merger'),
    supervisor: entry('supervisor'),
    env: cache === undefined ? env : { ...env, NODE_COMPILE_CACHE: dirname(cache) },
  };
}
