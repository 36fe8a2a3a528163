import { boundedArgs, GitFailed } from './errors.ts';
import { gitFailure, keepStart, launchError, objectId, spawnGit } from './run.ts';

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
