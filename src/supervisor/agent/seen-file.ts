import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import type { AgentEvent } from '../../domain/tool-calls/agent-event.ts';

const largest = 4 << 20;

/**
 * What a file of the workspace holds now, for the breaker. The agent is alive and may put anything in our way: only a plain
 * file below the workspace is read, and nothing is believed of it but its digest. Null when that cannot be told.
 */
export function seenFile(
  path: string,
  /** As the agent sees it, and as we do. */
  workspace: { readonly inside: string; readonly here: string },
): (AgentEvent & { readonly type: 'file-seen' }) | null {
  const name = isAbsolute(path) ? relative(workspace.inside, path) : path;
  if (name === '' || name.startsWith('..') || isAbsolute(name)) return null;
  let descriptor: number;
  try {
    const found = realpathSync(join(workspace.here, name));
    if (!found.startsWith(`${workspace.here}/`)) return null;
    descriptor = openSync(found, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return code === 'ENOENT' ? { type: 'file-seen', path, digest: null } : null;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > largest) return null;
    const buffer = Buffer.alloc(stats.size);
    const length = readSync(descriptor, buffer, 0, buffer.length, 0);
    return { type: 'file-seen', path, digest: createHash('sha256').update(buffer.subarray(0, length)).digest('hex') };
  } finally {
    closeSync(descriptor);
  }
}
