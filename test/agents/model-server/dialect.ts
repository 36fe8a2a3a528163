import type { Conversation } from './conversation.ts';
import type { Json } from './json.ts';
import type { Usage } from './script.ts';
import type { VendorCall } from './tools.ts';

/** One vendor's way to ask a model and to answer. */
export interface Dialect {
  readonly name: 'anthropic' | 'responses' | 'chat' | 'gemini';
  read(body: Json): Conversation;
  /** The answer as the events of a stream, in order. */
  stream(reply: Reply): readonly string[];
  /** The same answer as one document. */
  whole(reply: Reply): object;
  failure(status: number, message: string): object;
  /** The event that tells of an overload when the stream has already begun. */
  overloaded(): string;
}

export interface Reply {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly calls: readonly VendorCall[];
  readonly usage: Usage;
}

/** A server-sent event. */
export const sse = (data: object | string, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** A text in two halves, so that a stream has a middle to break in. */
export const halves = (whole: string): readonly string[] =>
  whole.length < 2 ? [whole] : [whole.slice(0, whole.length >> 1), whole.slice(whole.length >> 1)];
