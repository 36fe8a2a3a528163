import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the program of another process. It lies beside this file, in the sources and in the build. */
export const entry = (name: 'cli' | 'merger' | 'supervisor' | 'fence-client'): string =>
  fileURLToPath(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url));
