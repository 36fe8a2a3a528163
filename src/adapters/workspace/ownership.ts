import { chmodSync, lchownSync, lstatSync, readdirSync, rmSync } from 'node:fs';

/** Gives a tree that we made to another owner. Links themselves are given, never what they point to. */
export function giveTree(path: string, uid: number, gid: number): void {
  if (lstatSync(path).isDirectory()) {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const child = `${path}/${entry.name}`;
      if (entry.isDirectory()) giveTree(child, uid, gid);
      else lchownSync(child, uid, gid);
    }
  }
  lchownSync(path, uid, gid);
}

/** Removes a tree whoever wrote it, also directories without permissions. Never follows a link. Absent is fine. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'ENOTEMPTY') throw error;
    openDirectories(path);
    rmSync(path, { recursive: true, force: true });
  }
}

function openDirectories(path: string): void {
  if (!lstatSync(path).isDirectory()) return;
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) openDirectories(`${path}/${entry.name}`);
}
