import { type SecretShape, secretShapes } from '../../domain/secret-shapes.ts';

/** Finds secrets in content that comes in chunks. What matched stays in here; only the names of rules come out. */
export interface SecretScan {
  push(chunk: Buffer): void;
  /** Rules with a match that `before` does not have as well: what was already in the base is not news. */
  rulesBeyond(before: SecretScan | null): readonly SecretRule[];
  /** All matches, for comparison with another scan. */
  matches(): ReadonlySet<string>;
}

export type SecretRule = SecretShape | 'known-value';

/** Longest match that may lie across two chunks. */
const overlap = 4096;

/** `values` are secrets known exactly (credentials of the run); those under 8 characters would match by chance. */
export function secretScan(values: readonly string[]): SecretScan {
  const known = values.filter((value) => value.length >= 8).map((value) => Buffer.from(value).toString('latin1'));
  const ruleOf = new Map<string, SecretRule>();
  let tail = '';
  return {
    push(chunk) {
      const text = tail + chunk.toString('latin1');
      for (const value of known) if (text.includes(value)) ruleOf.set(value, 'known-value');
      for (const { rule, pattern } of secretShapes)
        for (const match of text.matchAll(pattern)) ruleOf.set(match[0], rule);
      tail = text.slice(-overlap);
    },
    rulesBeyond(before) {
      const old = before?.matches() ?? new Set<string>();
      return [...new Set([...ruleOf].filter(([match]) => !old.has(match)).map(([, rule]) => rule))].sort();
    },
    matches: () => new Set(ruleOf.keys()),
  };
}
