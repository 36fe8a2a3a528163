import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The compiled file of another process, beside our own. */
export const entry = (name: 'cli' | 'merger' | 'supervisor'): string =>
  fileURLToPath(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url));
