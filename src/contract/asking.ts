import type { Problem } from '../protocol/problem.ts';

// Only types, and none of a library: this file is also a part of what is published as types.

export type ClientOptions = {
  /** Where `tidegate serve` listens: `http://127.0.0.1:3847`. */
  readonly url: string;
  /** What `tidegate token` prints. A page that the server itself gave has a cookie and its page key instead. */
  readonly token?: string;
  readonly pageKey?: string;
  /** Another `fetch`, for tests and for unix sockets. */
  readonly fetch?: typeof fetch;
};

export type Asking = {
  readonly signal?: AbortSignal;
};

export type AskingCommand = Asking & {
  /** The same one again asks for nothing new. Without it each call has one of its own, and asking again is asking twice. */
  readonly key?: string;
};

export type AskingText = Asking & {
  /** From a byte to before another, or to the end; or the last so many. */
  readonly range?: { readonly from: number; readonly to?: number } | { readonly last: number };
};

/** Text as it comes. It can be read once. */
export type TextStream = AsyncIterable<string> & {
  whole(): Promise<string>;
};

export type Watching = Asking & {
  /** Told before each new try, with what ended the last one; null where the server hung up. */
  readonly onReconnect?: (error: unknown) => void;
};

/** What a thrown `TidegateProblem` holds. */
export type Told = Problem;
