import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { absentAsNull } from '../state-directory/absent.ts';
import { inside } from './kept-files.ts';

/**
 * Removes a tree, also one in which somebody closed directories (Go's modules, an agent): they are ours, so we may open them. Another
 * process may be removing it too.
 */
export async function removeTree(path: string | Buffer): Promise<void> {
  const failed = await rm(path, { recursive: true, force: true }).then(
    () => null,
    (error: NodeJS.ErrnoException) => error,
  );
  if (failed === null) return;
  if (!['EACCES', 'EPERM', 'ENOENT', 'ENOTEMPTY'].includes(failed.code ?? '')) throw failed;
  await open(Buffer.from(path));
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/** Links are not followed: what they lead to is not part of the tree. */
async function open(place: Buffer): Promise<void> {
  if ((await lstat(place).catch(absentAsNull))?.isDirectory() !== true) return;
  await chmod(place, 0o700).catch(absentAsNull);
  const entries = (await readdir(place, { withFileTypes: true, encoding: 'buffer' }).catch(absentAsNull)) ?? [];
  for (const entry of entries) if (entry.isDirectory()) await open(inside(place, entry.name));
}
