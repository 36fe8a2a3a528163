import type { NonEmpty } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import type { Gate } from './versions.ts';

/**
 * The verdict of one gate on recorded evidence, with the version of the gate. `of` distinguishes verdicts of one gate: the
 * name of a check. `inconclusive` is not a soft pass: what cannot be judged never passes.
 */
export type Verdict = { readonly gate: Gate; readonly version: number; readonly of?: string } & (
  | { readonly outcome: 'pass' }
  | { readonly outcome: 'fail' | 'inconclusive'; readonly findings: NonEmpty<Finding> }
);

export const passes = (verdicts: readonly Verdict[]): boolean =>
  verdicts.length > 0 && verdicts.every((verdict) => verdict.outcome === 'pass');

/** Returns everything that keeps these from passing. */
export const findingsIn = (verdicts: readonly Verdict[]): readonly Finding[] =>
  verdicts.flatMap((verdict) => (verdict.outcome === 'pass' ? [] : verdict.findings));
