import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Cursor, formatCursor } from '../../protocol/envelope.ts';
import { always } from '../http/reply.ts';
import type { Listener } from './feed.ts';
import { type Sink, sinkOf } from './sink.ts';

/** An answer that sends events until the caller disconnects. */
export type EventStream = {
  readonly after: Cursor;
  readonly heartbeatMs: number;
  follow(sink: Sink, dropped: Listener['dropped']): () => void;
};

/** Sends server-sent events. The first `id` comes before any event, so that a client that is cut off early can resume too. */
export async function sendEvents(
  request: IncomingMessage,
  response: ServerResponse,
  { after, heartbeatMs, follow }: EventStream,
): Promise<void> {
  response.writeHead(200, { ...always, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
  if (request.method === 'HEAD') return void response.end();
  response.write(`retry: 1000\nid: ${formatCursor(after)}\n\n`);
  const sink = sinkOf(response, 'lines');
  const leave = follow(sink, (resume, why) => {
    response.end(`: dropped (${why}), resume after ${formatCursor(resume)}\n\n`);
    setTimeout(() => response.destroy(), heartbeatMs).unref();
  });
  let missed = 0;
  const heart = setInterval(() => {
    missed = sink.waiting() > 0 ? missed + 1 : 0;
    if (missed > 2) response.destroy();
    else sink.write(Buffer.from(': heartbeat\n\n'));
  }, heartbeatMs);
  await new Promise((resolve) => response.once('close', resolve));
  clearInterval(heart);
  leave();
}
