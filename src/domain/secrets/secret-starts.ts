/** `at` is where one of `starts` may begin; `key` is the place that gave it away. */
export type StartFound = { readonly at: number; readonly key: number; readonly starts: readonly string[] };

/**
 * Finds the places of a text at which one of many beginnings may be, by three characters of each. Text goes through this as fast as
 * agents print it, so pairs of characters are looked up in a table, and most of them step over two characters at once.
 */
export function startFinder(starts: readonly string[]): {
  /** The first place whose key is at `from` or later. */
  next(text: string, from: number): StartFound | null;
  /** Whether a beginning begins with this short text. */
  beginsWith(text: string): boolean;
} {
  const byKey = Map.groupBy(new Set(starts), (start) => start.slice(keyAt(start), keyAt(start) + 3));
  /** 0: the last two characters of a key; 1: the first two of one; 2: neither. */
  const steps = new Uint8Array(1 << 16).fill(2);
  for (const key of byKey.keys()) {
    const first = (key.charCodeAt(0) << 8) | key.charCodeAt(1);
    steps[first] = Math.min(1, steps[first] ?? 1);
    steps[(key.charCodeAt(1) << 8) | key.charCodeAt(2)] = 0;
  }
  const short = new Set(starts.flatMap((start) => [start.slice(0, 1), start.slice(0, 2)]));
  return {
    next(text, from) {
      const end = text.length - 1;
      for (let at = from + 1; at < end; ) {
        const step = steps[((text.charCodeAt(at) & 255) << 8) | (text.charCodeAt(at + 1) & 255)] ?? 0;
        at += step === 0 ? 1 : step;
        if (step !== 0) continue;
        const key = at - 2;
        const found = byKey.get(text.slice(key, key + 3));
        const offset = keyAt(found?.[0] ?? '');
        if (found !== undefined && key >= offset) return { at: key - offset, key, starts: found };
      }
      return null;
    },
    beginsWith: (text) => short.has(text),
  };
}

/** Dashes are in every other text. */
const keyAt = (start: string): number => (start.startsWith('-----') ? 5 : 0);
