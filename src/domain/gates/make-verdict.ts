import { isNonEmpty } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import type { Verdict } from './verdict.ts';
import { type Gate, gateVersions } from './versions.ts';

// Apart from the type: folds read verdicts, and must not reach the versions of gates.

export const pass = (gate: Gate): Verdict => ({ gate, version: gateVersions[gate], outcome: 'pass' });

export const inconclusive = (gate: Gate, finding: Finding): Verdict => ({
  gate,
  version: gateVersions[gate],
  outcome: 'inconclusive',
  findings: [finding],
});

/** Returns a pass when there are no findings. */
export function failWith(gate: Gate, findings: readonly Finding[]): Verdict {
  return isNonEmpty(findings) ? { gate, version: gateVersions[gate], outcome: 'fail', findings } : pass(gate);
}
