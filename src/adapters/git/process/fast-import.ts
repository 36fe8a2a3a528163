import { rmSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { quotedBytes } from '../../../domain/base/shown-path.ts';
import { endOf, refName, spawnGit, syncRef } from './run.ts';

/**
 * Lets one `fast-import` write commits and then `ref`; resolves with what the script asked it to print. All objects are on
 * disk before the ref, and the ref before this returns. If this process dies, git sees a stream without its `done` and
 * moves nothing. An error of the script itself comes back as it is.
 */
export async function fastImport(
  gitDir: string,
  ref: string,
  script: Iterable<string | Uint8Array>,
): Promise<readonly string[]> {
  const call = {
    gitDir,
    // One pack costs three flushes of the disk, loose objects one each.
    config: ['core.fsync=all', 'fastimport.unpackLimit=3'],
    tied: true,
    args: ['fast-import', '--quiet', '--done', '--force', '--date-format=raw'],
  };
  const child = spawnGit(call);
  let out = '';
  child.stdout?.setEncoding('latin1').on('data', (chunk: string) => {
    out += chunk;
  });
  const ended = endOf(child, call);
  let own: { readonly error: unknown } | null = null;
  const lines = function* () {
    try {
      yield* script;
      yield 'done\n';
    } catch (error) {
      own = { error };
      throw error;
    }
  };
  // A broken pipe only says that git gave up; its exit says why. Its crash report would stay for ever.
  const [exit, fed] = await Promise.allSettled([ended, pipeline(lines(), child.stdin as Writable)]);
  if (exit.status === 'rejected') rmSync(`${gitDir}/fast_import_crash_${child.pid}`, { force: true });
  if (own !== null) throw (own as { readonly error: unknown }).error;
  if (exit.status === 'rejected') throw exit.reason;
  if (fed.status === 'rejected') throw fed.reason;
  syncRef(gitDir, refName(ref));
  return out.split('\n').slice(0, -1);
}

/** A path as fast-import reads it whatever is in it: bytes outside of plain ASCII are octal. */
export const quotedPath = (path: string): string => quotedBytes(Buffer.from(path));
