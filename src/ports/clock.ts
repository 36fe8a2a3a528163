/** Time and chance. Domain, pipeline and engine have no other source of them. */
export interface Clock {
  /** Returns the ISO time in UTC, for expiry and for people. */
  now(): string;
  /** Resolves after `ms`, or when aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Returns 128 random bits, hexadecimal. */
  nonce(): string;
}
