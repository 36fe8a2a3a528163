/** A stream of chance that is the same for the same seed, on every machine. */
export type Random = {
  /** In [0, 1). */
  next(): number;
  chance(probability: number): boolean;
  /** An integer in [0, below). */
  below(below: number): number;
  pick<T>(items: readonly [T, ...T[]] | readonly T[]): T;
  /** Another stream that does not disturb this one. */
  fork(): Random;
};

/** mulberry32 */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    chance: (probability) => next() < probability,
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
    fork: () => random(below(2 ** 32)),
  };
}
