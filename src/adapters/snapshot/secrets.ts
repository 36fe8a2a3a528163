/** Finds secrets in content that comes in chunks. What matched stays in here; only the names of rules come out. */
export interface SecretScan {
  push(chunk: Buffer): void;
  /** Rules with a match that `before` does not have as well: what was already in the base is not news. */
  rulesBeyond(before: SecretScan | null): readonly string[];
  /** All matches, for comparison with another scan. */
  matches(): ReadonlySet<string>;
}

const patterns: readonly { readonly rule: string; readonly pattern: RegExp }[] = [
  { rule: 'private-key', pattern: /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----[^-]{0,64}/g },
  { rule: 'aws-access-key', pattern: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/g },
  { rule: 'github-token', pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})/g },
  { rule: 'anthropic-key', pattern: /\bsk-ant-[A-Za-z0-9_-]{24,}/g },
  { rule: 'openai-key', pattern: /\bsk-(?:proj-|svcacct-)?(?!ant-)[A-Za-z0-9_-]{32,}/g },
  { rule: 'slack-token', pattern: /\bxox[abprs]-[A-Za-z0-9-]{20,}/g },
  { rule: 'google-api-key', pattern: /\bAIza[A-Za-z0-9_-]{35}\b/g },
];

/** Longest match that may lie across two chunks. */
const overlap = 4096;

/** `values` are secrets known exactly (credentials of the run); those under 8 characters would match by chance. */
export function secretScan(values: readonly string[]): SecretScan {
  const known = values.filter((value) => value.length >= 8).map((value) => Buffer.from(value).toString('latin1'));
  const ruleOf = new Map<string, string>();
  let tail = '';
  return {
    push(chunk) {
      const text = tail + chunk.toString('latin1');
      for (const value of known) if (text.includes(value)) ruleOf.set(value, 'known-value');
      for (const { rule, pattern } of patterns) for (const match of text.matchAll(pattern)) ruleOf.set(match[0], rule);
      tail = text.slice(-overlap);
    },
    rulesBeyond(before) {
      const old = before?.matches() ?? new Set<string>();
      return [...new Set([...ruleOf].filter(([match]) => !old.has(match)).map(([, rule]) => rule))].sort();
    },
    matches: () => new Set(ruleOf.keys()),
  };
}
