import type { WatchOptions } from './call-options.ts';

export type WatchedStream = {
  /** Opens it after this cursor; without one, from now on. */
  open(after: string | undefined, signal: AbortSignal): Promise<ReadableStream<string>>;
  /** True when another try may succeed. */
  isPassing(error: unknown): boolean;
};

/** Longer than any silence of the server: the connection is dead. */
const silenceMs = 60_000;
const firstWaitMs = 100;
const longestWaitMs = 10_000;

/**
 * Yields every event after a cursor once and in order, over as many connections as it takes. Throws when the first connection fails,
 * and later only for errors that another try cannot fix.
 */
export async function* resumedEvents(
  stream: WatchedStream,
  after: string | undefined,
  { signal, onReconnect }: WatchOptions,
): AsyncGenerator<unknown, void, undefined> {
  let reached = after;
  let waitMs = firstWaitMs;
  let wasOpen = false;
  for (;;) {
    signal?.throwIfAborted();
    let failure: unknown = null;
    try {
      for await (const { id, data } of eventsOf(stream, reached, signal)) {
        wasOpen = true;
        reached = id ?? reached;
        if (data === null) continue;
        waitMs = firstWaitMs;
        yield JSON.parse(data);
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!wasOpen || !(error instanceof Silence || stream.isPassing(error))) throw error;
      failure = error;
    }
    onReconnect?.(failure);
    await pause(waitMs, signal);
    waitMs = Math.min(longestWaitMs, waitMs * 2);
  }
}

type Message = { readonly id: string | null; readonly data: string | null };

/** Reads one connection until it ends, fails or is silent for too long. */
async function* eventsOf(
  stream: WatchedStream,
  after: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Message, void, undefined> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const restartTimer = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(new Silence()), silenceMs);
  };
  restartTimer();
  try {
    const opened = await stream.open(after, signal ? AbortSignal.any([signal, silence.signal]) : silence.signal);
    // may end in a part of a message
    let text = '';
    for await (const chunk of chunksOf(opened)) {
      restartTimer();
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      yield* blocks.map(messageOf);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Parses a message of the server: lines end in LF, and `data` is one line. */
function messageOf(block: string): Message {
  const fields = new Map(block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]));
  return { id: fields.get('id') ?? null, data: fields.get('data') ?? null };
}

class Silence extends Error {
  override readonly name = 'Silence';
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal?.addEventListener('abort', over);
  });

/** Iterates a stream, which not every browser can do by itself. A reader that stops closes the stream. */
export async function* chunksOf(stream: ReadableStream<string>): AsyncGenerator<string, void, undefined> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // a failure, which was thrown, may have closed it already
    await reader.cancel().catch(() => undefined);
  }
}
