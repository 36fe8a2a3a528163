/** What a credential looks like, whoever issued it. */
export const secretShapes = [
  { rule: 'private-key', pattern: /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----[^-]{0,64}/g },
  { rule: 'aws-access-key', pattern: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/g },
  { rule: 'github-token', pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})/g },
  { rule: 'anthropic-key', pattern: /\bsk-ant-[A-Za-z0-9_-]{24,}/g },
  { rule: 'openai-key', pattern: /\bsk-(?:proj-|svcacct-)?(?!ant-)[A-Za-z0-9_-]{32,}/g },
  { rule: 'slack-token', pattern: /\bxox[abprs]-[A-Za-z0-9-]{20,}/g },
  { rule: 'google-api-key', pattern: /\bAIza[A-Za-z0-9_-]{35}\b/g },
] as const satisfies readonly { readonly rule: string; readonly pattern: RegExp }[];

export type SecretShape = (typeof secretShapes)[number]['rule'];

/** The rule that some of this text matches; null: none. */
export const secretIn = (text: string): SecretShape | null =>
  secretShapes.find(({ pattern }) => text.search(pattern) >= 0)?.rule ?? null;

/** The text with everything that looks like a credential masked. */
export const maskShapes = (text: string): string =>
  secretShapes.reduce((clean, { pattern }) => clean.replace(pattern, '[redacted]'), text);
