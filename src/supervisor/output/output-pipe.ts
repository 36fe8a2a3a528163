import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';

/**
 * A real pipe for stdout and stderr. Node's own are sockets, which a program cannot open again as /dev/stdout or
 * /dev/stderr. The agent's uid may open it for writing only.
 */
export type OutputPipe = {
  readonly writeEnd: number;
  /** Call when the child has it: the end of the output is seen only when nobody else holds the write end. */
  closeWriteEnd(): void;
  /** Everything that was written has been given to `take`. */
  readonly drained: Promise<void>;
  /** Ends reading although somebody still holds the write end. */
  abandon(): void;
};

export function openOutputPipe(
  path: string,
  mkfifo: string,
  owner: number,
  take: (chunk: Uint8Array) => void,
): OutputPipe {
  rmSync(path, { force: true });
  const made = spawnSync(mkfifo, ['-m', '600', '--', path], { env: {} });
  if (made.status !== 0) throw new Error(`mkfifo failed: ${made.error?.message ?? made.stderr.toString()}`);
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(path, constants.O_WRONLY);
  if (process.getuid?.() === 0) chownSync(path, owner, owner);
  chmodSync(path, 0o200);
  rmSync(path);
  // One buffer for all chunks: a gigabyte of output must not become a gigabyte of garbage.
  const buffer = Buffer.alloc(64 * 1024);
  const options = {
    fd: readEnd,
    readable: true,
    writable: false,
    onread: {
      buffer,
      callback: (length: number): boolean => {
        take(buffer.subarray(0, length));
        return true;
      },
    },
  };
  const socket = new Socket(options);
  const drained = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
  });
  socket.resume();
  return { writeEnd, closeWriteEnd: () => closeSync(writeEnd), drained, abandon: () => void socket.destroy() };
}
