import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A checkout below a closed home directory cannot be used by another user. */
export function isOpenToAll(path: string): boolean {
  accessSync(path, constants.R_OK);
  for (let above = dirname(path); above !== '/'; above = dirname(above))
    if ((statSync(above).mode & 0o5) !== 0o5) return false;
  return true;
}
