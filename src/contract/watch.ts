import type { Watching } from './asking.ts';
import { chunksOf } from './chunks.ts';

export type WatchedStream = {
  /** Opens it after this cursor; from now on where none is known. */
  open(after: string | undefined, signal: AbortSignal): Promise<ReadableStream<string>>;
  /** Whether opening it again could go better. */
  isPassing(error: unknown): boolean;
};

/** Longer than the server ever keeps silent: nobody is there any more. */
const silenceMs = 60_000;
const firstWaitMs = 100;
const longestWaitMs = 10_000;

/**
 * Every event after a cursor once and in order, over as many connections as it takes. What cannot be opened at first is thrown;
 * later only what no patience mends.
 */
export async function* resumedEvents(
  stream: WatchedStream,
  after: string | undefined,
  { signal, onReconnect }: Watching,
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

/** One connection, until it ends, fails, or nothing has come for too long. */
async function* eventsOf(
  stream: WatchedStream,
  after: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Message, void, undefined> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(new Silence()), silenceMs);
  };
  heard();
  try {
    const opened = await stream.open(after, signal ? AbortSignal.any([signal, silence.signal]) : silence.signal);
    // with what is not yet a whole message at its end
    let text = '';
    for await (const chunk of chunksOf(opened)) {
      heard();
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      yield* blocks.map(messageOf);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** A message that the server wrote: lines end in LF, and `data` is one line. */
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
