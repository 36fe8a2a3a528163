import { quantile } from '../statistics.ts';

/** One small figure beside its alternative, both measured in turns. */
export type Row = {
  readonly name: string;
  readonly ours: number;
  readonly beside: string;
  readonly theirs: number;
  readonly unit: 'ms' | '/s';
};

/** Medians of two pieces of work done in turns, in milliseconds. */
export async function inTurns(
  rounds: number,
  ours: () => Promise<unknown>,
  theirs: () => Promise<unknown>,
): Promise<{ readonly ours: number; readonly theirs: number }> {
  const spent: { readonly ours: number[]; readonly theirs: number[] } = { ours: [], theirs: [] };
  for (let round = 0; round < rounds; round += 1) {
    spent.ours.push(await milliseconds(ours));
    spent.theirs.push(await milliseconds(theirs));
  }
  return { ours: quantile(spent.ours, 0.5), theirs: quantile(spent.theirs, 0.5) };
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
