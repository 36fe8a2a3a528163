import { lchownSync, lstatSync, readdirSync } from 'node:fs';

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
