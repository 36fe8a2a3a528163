import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes a tree, also one in which somebody closed directories (Go's modules, an agent): they are ours, so we may open them. */
export async function removeTree(path: string): Promise<void> {
  const closed = await rm(path, { recursive: true, force: true }).then(
    () => null,
    (error: NodeJS.ErrnoException) => error,
  );
  if (closed === null) return;
  if (closed.code !== 'EACCES' && closed.code !== 'EPERM') throw closed;
  await open(path);
  await rm(path, { recursive: true, force: true });
}

/** Links are not followed: what they lead to is not part of the tree. */
async function open(directory: string): Promise<void> {
  await chmod(directory, 0o700);
  for (const entry of await readdir(directory, { withFileTypes: true }))
    if (entry.isDirectory()) await open(join(directory, entry.name));
}
