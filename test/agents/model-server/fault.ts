import type { ServerResponse } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import type { Dialect, Reply } from './dialect.ts';
import type { Fault } from './script.ts';

export interface Serving {
  readonly dialect: Dialect;
  readonly reply: Reply;
  readonly streaming: boolean;
  readonly response: ServerResponse;
  readonly fault: Fault | null;
  readonly pace: number;
  /** Ends when the script is released or the client is gone. */
  readonly released: () => Promise<void>;
}

/** Sends the answer of a turn, or the fault that stands before it. */
export async function serve(serving: Serving): Promise<void> {
  const { dialect, response, fault } = serving;
  const refuse = (status: number, message: string, headers: Readonly<Record<string, string>> = {}) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(dialect.failure(status, message)));
  const overloaded = (headers?: Readonly<Record<string, string>>) =>
    dialect.name === 'anthropic'
      ? refuse(529, 'Overloaded', headers)
      : refuse(503, 'The model is overloaded.', headers);
  switch (fault?.fault) {
    case undefined:
      return send(serving);
    case 'rate-limited':
      if (dialect.name === 'responses' && fault.resetAt !== undefined) return usageLimit(response, fault.resetAt);
      return refuse(429, 'This request would exceed your rate limit.', rateLimitHeaders(fault));
    case 'overloaded':
      return overloaded(retryHeader(fault));
    case 'unauthorized':
      return refuse(401, 'invalid x-api-key');
    case 'prompt-too-long':
      return refuse(400, 'prompt is too long: 250000 tokens > 200000 maximum');
    case 'status':
      return refuse(fault.status, fault.message);
    case 'malformed':
      return malformed(serving);
    case 'dropped':
      await begin(serving);
      response.destroy();
      return;
    case 'overloaded-mid-stream':
      // Claude asks again without a stream, and there is no middle then.
      if (!serving.streaming) return overloaded();
      await begin(serving);
      response.end(dialect.overloaded());
      return;
    case 'hang':
      if (fault.after === 'half') await begin(serving);
      await serving.released();
      if (fault.after === 'half') response.destroy();
      else if (!response.destroyed) await send(serving);
      return;
  }
}

async function send({ dialect, reply, streaming, response, pace }: Serving): Promise<void> {
  if (!streaming) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(dialect.whole(reply)));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of dialect.stream(reply)) {
    if (response.destroyed) return;
    response.write(event);
    if (pace > 0) await after(pace);
  }
  response.end();
}

/** The first half of the stream, on the wire. */
async function begin({ dialect, reply, streaming, response }: Serving): Promise<void> {
  const events = streaming ? dialect.stream(reply) : [JSON.stringify(dialect.whole(reply)).slice(0, 40)];
  response.writeHead(200, { 'content-type': streaming ? 'text/event-stream' : 'application/json' });
  const half = events.slice(0, Math.max(1, events.length >> 1)).join('');
  await new Promise<void>((resolve) => response.write(half, () => resolve()));
}

function malformed({ streaming, response }: Serving): void {
  response.writeHead(200, { 'content-type': streaming ? 'text/event-stream' : 'application/json' });
  response.end(streaming ? 'event: message_start\ndata: {"type": "message_st\n\n' : '{"type": "mess');
}

/** What a subscription that is used up answers. */
function usageLimit(response: ServerResponse, resetAt: string): void {
  const message = 'The usage limit has been reached';
  const error = { type: 'usage_limit_reached', message, plan_type: 'plus', resets_at: Date.parse(resetAt) / 1000 };
  response.writeHead(429, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}

/** Each vendor's clients look at other names. */
function rateLimitHeaders({ retryAfter, resetAt }: Extract<Fault, { readonly fault: 'rate-limited' }>) {
  return {
    ...retryHeader({ retryAfter }),
    ...(resetAt === undefined
      ? {}
      : {
          'anthropic-ratelimit-requests-reset': resetAt,
          'anthropic-ratelimit-unified-status': 'rejected',
          'anthropic-ratelimit-unified-reset': String(Math.floor(Date.parse(resetAt) / 1000)),
          'x-ratelimit-reset-requests': resetAt,
        }),
  };
}

/** Most clients wait so many seconds before they ask again; without it, longer each time. */
const retryHeader = ({ retryAfter }: { readonly retryAfter?: number | undefined }): Readonly<Record<string, string>> =>
  retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
