import { rmSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { quotedBytes } from '../../../domain/base/paths.ts';
import {
  boundedArgs,
  endOf,
  GitFailed,
  gitFailure,
  keepStart,
  launchError,
  objectId,
  refName,
  spawnGit,
  syncRef,
} from './run.ts';

/** One `cat-file --batch` kept open: many objects for one process. */
export interface ObjectReader extends AsyncDisposable {
  /** The bytes of an object, or null when the repository does not have it. Calls may overlap. */
  read(id: string): Promise<Buffer | null>;
}

type Waiting = { readonly resolve: (bytes: Buffer | null) => void; readonly reject: (error: Error) => void };

/** Objects over `maxObject` bytes make the reader fail: nothing here is meant to hold large files in memory. */
export function openObjects(gitDir: string, maxObject = 256 << 20): ObjectReader {
  const call = { gitDir, args: ['cat-file', '--batch'] };
  const child = spawnGit(call);
  const stderr = keepStart(child);
  const queue: Waiting[] = [];
  let chunks: Buffer[] = [];
  let held = 0;
  /** Bytes that must be there before parsing can go on. */
  let needed = 1;
  let failure: Error | null = null;

  const fail = (error: Error) => {
    failure ??= error;
    for (const waiting of queue.splice(0)) waiting.reject(failure);
  };
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.once('error', (error) => fail(launchError(call, error)));
  child.once('close', (code) => fail(gitFailure(call, code, stderr())));
  child.stdin?.on('error', () => undefined);
  child.stdout?.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    held += chunk.length;
    if (held >= needed) drain();
  });

  function drain(): void {
    let buffer = Buffer.concat(chunks);
    for (;;) {
      const line = buffer.indexOf(10);
      if (line < 0) {
        needed = buffer.length + 1;
        break;
      }
      const [, type, sizeText] = buffer.toString('latin1', 0, line).split(' ');
      if (type === 'missing') {
        queue.shift()?.resolve(null);
        buffer = buffer.subarray(line + 1);
        continue;
      }
      const size = Number(sizeText);
      if (!(size <= maxObject)) {
        child.kill('SIGKILL');
        fail(new GitFailed(call.args, null, { rule: 'git-output', args: boundedArgs(call.args), limit: maxObject }));
        return;
      }
      needed = line + 1 + size + 1;
      if (buffer.length < needed) break;
      queue.shift()?.resolve(buffer.subarray(line + 1, line + 1 + size));
      buffer = buffer.subarray(needed);
      needed = 1;
    }
    chunks = [buffer];
    held = buffer.length;
  }

  return {
    read: (id) =>
      new Promise((resolve, reject) => {
        if (failure !== null) return reject(failure);
        queue.push({ resolve, reject });
        child.stdin?.write(`${objectId(id)}\n`);
      }),
    async [Symbol.asyncDispose]() {
      child.stdin?.end();
      await closed;
    },
  };
}

/**
 * Lets one `fast-import` write commits and then `ref`; resolves with the lines that the script lets it print. All objects are on
 * disk before the ref, and the ref before this returns. If this process dies, git sees a stream without its `done` and moves
 * nothing. An error of the script itself is thrown unchanged.
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
