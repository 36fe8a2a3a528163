// Only types, and none of a library: this file becomes a part of the published types.

export type ClientOptions = {
  /** The address of `tidegate serve`: `http://127.0.0.1:3847`. */
  readonly url: string;
  /** Printed by `tidegate token`. A page of the server itself has a cookie and its page key instead. */
  readonly token?: string;
  readonly pageKey?: string;
  /** Another `fetch`, for tests and for unix sockets. */
  readonly fetch?: typeof fetch;
};

export type CallOptions = {
  readonly signal?: AbortSignal;
};

export type CommandCallOptions = CallOptions & {
  /** A repeated key makes no second request. Without it each call has a key of its own, and a repeated call is a second request. */
  readonly key?: string;
};

export type TextCallOptions = CallOptions & {
  /** From one byte to before another, or to the end; or the last so many bytes. */
  readonly range?: { readonly from: number; readonly to?: number } | { readonly last: number };
};

/** Text as it arrives. It can be read once. */
export type TextStream = AsyncIterable<string> & {
  whole(): Promise<string>;
};

export type WatchOptions = CallOptions & {
  /** Called before each reconnection, with the error that ended the last connection; null when the server hung up. */
  readonly onReconnect?: (error: unknown) => void;
};
