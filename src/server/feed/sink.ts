import type { Writable } from 'node:stream';
import type { Encoding } from './encoded-event.ts';

/** The destination of events: a socket, or an HTTP answer that stays open. */
export type Sink = {
  readonly encoding: Encoding;
  write(bytes: Buffer): void;
  /** Bytes that the other side has not taken yet. */
  waiting(): number;
  /** Resolves with false when the other side takes nothing for `patienceMs`. */
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

  /** Resolves when all bytes are taken, or after this time. */
  const nextChange = async (ms: number): Promise<void> => {
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
        await nextChange(patienceMs);
        const now = waiting();
        if (now >= before) return false;
        before = now;
      }
      return true;
    },
  };
}
