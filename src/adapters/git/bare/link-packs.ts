import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { syncDirectory } from '../../files/durable-file.ts';

/**
 * Hard-links every pack of the person's repository, and of those that it borrows from, into ours. A pack counts from the
 * moment that its index is there, so the index comes last. False when a pack could not be linked (other file system,
 * not readable for agents' uid): then nothing may be assumed to be here.
 */
export function linkPacks(personsGitDir: string, bare: string): boolean {
  const target = `${bare}/objects/pack`;
  try {
    for (const objects of objectDirectories(`${commonDirectory(personsGitDir)}/objects`)) linkFrom(objects, target);
  } catch (error) {
    if (!unlinkable.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return false;
  } finally {
    syncDirectory(target);
  }
  return true;
}

/** ENOENT: the person's git repacked meanwhile. */
const unlinkable: ReadonlySet<string> = new Set(['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOENT', 'ENOTSUP', 'ENOSYS']);

function linkFrom(objects: string, target: string): void {
  const folder = `${objects}/pack`;
  if (!existsSync(folder)) return;
  for (const index of readdirSync(folder).filter((name) => /^pack-[0-9a-f]+\.idx$/.test(name))) {
    const stem = index.slice(0, -'.idx'.length);
    if (existsSync(`${target}/${index}`)) continue;
    for (const name of [`${stem}.pack`, index]) linkOne(`${folder}/${name}`, `${target}/${name}`);
  }
}

function linkOne(from: string, to: string): void {
  const unreadable = (statSync(from).mode & 0o004) === 0;
  if (unreadable) throw Object.assign(new Error(`${from} is private`), { code: 'EACCES' });
  // Left by a call that died before the index: it may belong to another packing of the same objects.
  rmSync(to, { force: true });
  linkSync(from, to);
  const file = openSync(to, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A linked worktree keeps its objects in the main repository. */
function commonDirectory(gitDir: string): string {
  const pointer = `${gitDir}/commondir`;
  return existsSync(pointer) ? resolve(gitDir, readFileSync(pointer, 'utf8').trim()) : gitDir;
}

function objectDirectories(objects: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(objects)) return seen;
  seen.add(objects);
  const alternates = `${objects}/info/alternates`;
  if (!existsSync(alternates)) return seen;
  for (const line of readFileSync(alternates, 'utf8').split('\n'))
    if (line !== '' && !line.startsWith('#')) objectDirectories(isAbsolute(line) ? line : resolve(objects, line), seen);
  return seen;
}
