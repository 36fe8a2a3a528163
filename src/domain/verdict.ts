import { isNonEmpty, type NonEmpty } from './result.ts';

/** `where` is a path, `run/task` or `file:line:column`; `fix` is a command or an edit that a person can make. */
export type Finding = {
  readonly rule: string;
  readonly detail: string;
  readonly where?: string;
  readonly fix?: string;
};

/** `inconclusive` is not a soft pass: what cannot be judged never passes. */
export type Verdict =
  | { readonly gate: string; readonly outcome: 'pass' }
  | { readonly gate: string; readonly outcome: 'fail'; readonly findings: NonEmpty<Finding> }
  | { readonly gate: string; readonly outcome: 'inconclusive'; readonly why: string };

export const pass = (gate: string): Verdict => ({ gate, outcome: 'pass' });
export const inconclusive = (gate: string, why: string): Verdict => ({ gate, outcome: 'inconclusive', why });
export function failWith(gate: string, findings: readonly Finding[]): Verdict {
  return isNonEmpty(findings) ? { gate, outcome: 'fail', findings } : pass(gate);
}
export const passes = (verdicts: readonly Verdict[]): boolean =>
  verdicts.length > 0 && verdicts.every((verdict) => verdict.outcome === 'pass');

export function describeVerdict(verdict: Verdict): readonly string[] {
  switch (verdict.outcome) {
    case 'pass':
      return [];
    case 'fail':
      return verdict.findings.map(({ where, detail }) =>
        where === undefined || detail.includes(where) ? detail : `${where}: ${detail}`,
      );
    case 'inconclusive':
      return [`${verdict.gate}: ${verdict.why}`];
  }
}
