import type { Writable } from 'node:stream';
import type { Encoding } from './encoding.ts';

/** Where events go: a socket, or an answer that stays open. */
export type Sink = {
  readonly encoding: Encoding;
  write(bytes: Buffer): void;
  /** Bytes that were written and that the other side has not taken. */
  waiting(): number;
  /** False: for `patienceMs` the other side took nothing of what waits. */
  drained(patienceMs: number): Promise<boolean>;
};

export function sinkOf(stream: Writable, encoding: Encoding): Sink {
  const waiters = new Set<() => void>();
  const wake = (): void => {
    for (const resolve of waiters) resolve();
    waiters.clear();
  };
  stream.on('drain', wake).on('close', wake);
  const waiting = (): number => (stream.destroyed ? 0 : stream.writableLength);

  /** Until all is taken, but no longer than this. */
  const change = async (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms).unref();
    waiters.add(resolve);
    await promise;
    clearTimeout(timer);
    waiters.delete(resolve);
  };
  return {
    encoding,
    write: (bytes) => {
      if (!stream.destroyed && bytes.length > 0) stream.write(bytes);
    },
    waiting,
    async drained(patienceMs) {
      for (let before = waiting(); before > 0; ) {
        await change(patienceMs);
        const now = waiting();
        if (now >= before) return false;
        before = now;
      }
      return true;
    },
  };
}
