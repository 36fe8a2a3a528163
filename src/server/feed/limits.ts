export type FeedLimits = {
  /** Events that are read for one listener at a time. */
  readonly batch: number;
  /** More at once than this is read from the ledger by each, instead of being kept for all. */
  readonly burst: number;
  /** Bytes that a listener may leave waiting before it is written no more. */
  readonly highWater: number;
  /** One that takes nothing for so long is dropped. */
  readonly patienceMs: number;
  /** Between two writes to the same listener. */
  readonly restMs: number;
  /** All listeners together. */
  readonly listeners: number;
  /** Sign of life; who misses two is gone. */
  readonly heartbeatMs: number;
};

export const usualLimits: FeedLimits = {
  batch: 100,
  burst: 1_000,
  highWater: 1 << 20,
  patienceMs: 15_000,
  restMs: 10,
  listeners: 1_000,
  heartbeatMs: 15_000,
};
