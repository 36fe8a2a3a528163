import { lchownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Everything below a path becomes another user's, where we may do that; links themselves, not what they lead to. */
export function giveAll(path: string, uid: number): void {
  if (process.getuid?.() !== 0) return;
  lchownSync(path, uid, uid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) giveAll(join(path, entry.name), uid);
    else lchownSync(join(path, entry.name), uid, uid);
  }
}
