/** Time and chance. Nothing in domain, pipeline or engine takes them from anywhere else. */
export interface Clock {
  /** ISO time in UTC, for expiry and for people. */
  now(): string;
  /** Resolves after `ms`, or when aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** 128 bits of chance, hexadecimal. */
  nonce(): string;
}
