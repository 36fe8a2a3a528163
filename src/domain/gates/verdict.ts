import { isNonEmpty, type NonEmpty } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import { type Gate, gateVersions } from './versions.ts';

/**
 * What one gate says of recorded evidence, and the version of the gate that said it. `of` tells verdicts of one gate apart: the
 * name of a check. `inconclusive` is not a soft pass: what cannot be judged never passes.
 */
export type Verdict = { readonly gate: Gate; readonly version: number; readonly of?: string } & (
  | { readonly outcome: 'pass' }
  | { readonly outcome: 'fail' | 'inconclusive'; readonly findings: NonEmpty<Finding> }
);

export const passes = (verdicts: readonly Verdict[]): boolean =>
  verdicts.length > 0 && verdicts.every((verdict) => verdict.outcome === 'pass');

/** Everything that keeps these from passing. */
export const findingsIn = (verdicts: readonly Verdict[]): readonly Finding[] =>
  verdicts.flatMap((verdict) => (verdict.outcome === 'pass' ? [] : verdict.findings));

export const pass = (gate: Gate): Verdict => ({ gate, version: gateVersions[gate], outcome: 'pass' });
export const inconclusive = (gate: Gate, finding: Finding): Verdict => ({
  gate,
  version: gateVersions[gate],
  outcome: 'inconclusive',
  findings: [finding],
});
/** A pass without findings. */
export function failWith(gate: Gate, findings: readonly Finding[]): Verdict {
  return isNonEmpty(findings) ? { gate, version: gateVersions[gate], outcome: 'fail', findings } : pass(gate);
}
