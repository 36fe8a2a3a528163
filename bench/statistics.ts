/** Quantile by nearest rank: always a value that was really measured. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (found === undefined) throw new Error('nothing was measured');
  return found;
}

/** Of an even number of values the mean of the two in the middle: with two rounds neither is preferred. */
export const median = (values: readonly number[]): number =>
  (quantile(values, 0.5) + quantile(values, 0.5 + 0.5 / values.length)) / 2;

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
