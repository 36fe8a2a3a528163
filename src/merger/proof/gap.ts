import { proofGapText } from '../../domain/explain/sentences/merger-sentences.ts';
import type { ProofGap } from '../../domain/findings/merger-rules.ts';
import type { Stored } from '../../ports/ledger.ts';

/** The one place where the chain breaks. Thrown and caught in these files only, so that each rule stays one line. */
export class Gap extends Error {
  readonly gap: ProofGap;
  constructor(gap: ProofGap) {
    super(proofGapText(gap));
    this.gap = gap;
  }
}
export function must(holds: boolean, gap: ProofGap): asserts holds {
  if (!holds) throw new Gap(gap);
}
export function found<T>(value: T | null | undefined, gap: ProofGap): T {
  must(value !== null && value !== undefined, gap);
  return value;
}

export type Rely = (stored: Pick<Stored, 'position' | 'hash'>) => void;
