import { type Problem, problem } from '../../protocol/problem.ts';

/** Says no to whoever asks too often. `admitted`: they have shown a token. */
export type Pace = (admitted: boolean) => Problem | null;

/** Guesses at tokens are slowed down without slowing down those who have one. */
export function paceOf(now: () => number, limits = { admitted: 10_000, refused: 50 }): Pace {
  const buckets = { admitted: bucket(now, limits.admitted), refused: bucket(now, limits.refused) };
  return (admitted) =>
    buckets[admitted ? 'admitted' : 'refused']()
      ? null
      : problem(429, 'too-often', 'too many requests in one second', { next: 'wait a second and ask again' });
}

/** So many in a second, and as many at once. */
function bucket(now: () => number, perSecond: number): () => boolean {
  let [left, at] = [perSecond, now()];
  return () => {
    const time = now();
    left = Math.min(perSecond, left + ((time - at) / 1_000) * perSecond);
    at = time;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
