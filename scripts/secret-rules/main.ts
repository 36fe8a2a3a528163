// Writes src/domain/secrets/secret-rules.ts from the rules of a pinned gitleaks. Run: node scripts/secret-rules/main.ts [gitleaks.toml]
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { beginnings, classesIn, longest, type Node, parseRegex, spell } from './regex.ts';

const pin = {
  version: 'v8.30.1',
  sha256: 'e163e53b9e7e8a8511e77271e2b323ed057759542a6d988258afe3a1fa329caf',
};
const source = `https://raw.githubusercontent.com/gitleaks/gitleaks/${pin.version}/config/gitleaks.toml`;

/** Rules that look structural to the rule below and are not a token's shape, or match what is no secret. */
const leftOut: Readonly<Record<string, string>> = {
  'curl-auth-header': 'a command line, not a token',
  'curl-auth-user': 'a command line, not a token',
  'kubernetes-secret-yaml': 'a document, not a token',
  'nuget-config-password': 'any text in an attribute',
  'sidekiq-sensitive-url': 'an address',
  'private-key': 'masked to its last line, also when it has none: see secret-shapes.ts',
};
/** Beginnings that ordinary base64 and words have as well. */
const tooCommon = ['EAAA'];
/** A JSON object in base64 begins with `eyJ`, which upstream shortens to `ey`. Of one key upstream finds the constant and not what follows it. */
const rewritten: Readonly<Record<string, (regex: string) => string>> = {
  jwt: (regex) => regex.replace('ey[a-zA-Z0-9]{17,}', 'eyJ[a-zA-Z0-9]{16,}'),
  'aws-amazon-bedrock-api-key-short-lived': (regex) => `${regex}[A-Za-z0-9+/=%]{0,4096}`,
};

/** Where upstream counts without an end: `{n,}`, and `+` or `*`. */
const mostTimes = { counted: 4096, other: 256 };

type Rule = { readonly id: string; readonly starts: readonly string[]; readonly pattern: string };

const toml = process.argv[2] === undefined ? await (await fetch(source)).text() : readFileSync(process.argv[2], 'utf8');
const sha256 = createHash('sha256').update(toml).digest('hex');
if (sha256 !== pin.sha256)
  throw new Error(`${process.argv[2] ?? source} is not the pinned file: its SHA-256 is ${sha256}`);

const all = [...toml.matchAll(/^\[\[rules\]\]\nid = "([^"]+)"[\s\S]*?(?=^\[\[rules\]\]|$(?![\s\S]))/gm)].flatMap(
  ([text, id = '']) => {
    const regex = /^regex = '''(.*)'''$/m.exec(text)?.[1];
    return regex === undefined ? [] : [{ id, regex: rewritten[id]?.(regex) ?? regex }];
  },
);
const rules = all.flatMap(({ id, regex }) => structural(id, regex) ?? []);
writeFileSync(new URL('../../src/domain/secrets/secret-rules.ts', import.meta.url), moduleOf(rules));
console.log(`${rules.length} of ${all.length} rules`);

/** Null: it does not begin with a text of its own, so that only entropy or a name nearby tells it from other text. */
function structural(id: string, regex: string): Rule | null {
  if (leftOut[id] !== undefined) return null;
  const tree = bounded(withoutShort(withoutEnding(parseRegex(regex))));
  const starts = [...new Set(beginnings(tree).texts)];
  if (!starts.every(isDistinct)) return null;
  const blank = classesIn(tree).filter((one) => /[\s"]/.test(matchedBy(one)));
  if (blank.length > 0) {
    console.log(`${id} matches blanks or quotes: ${blank.join(' ')}`);
    return null;
  }
  if (longest(tree) > 16_000) throw new Error(`${id} may match ${longest(tree)} characters`);
  return { id, starts, pattern: spell(tree) };
}

function isDistinct(start: string): boolean {
  return start.length >= 3 && !tooCommon.includes(start);
}

function matchedBy(source: string): string {
  return [...' \n"'].filter((char) => new RegExp(source).test(char)).join('');
}

/** Upstream wants a quote, a blank or the end after most tokens. What is masked may be followed by anything. */
function withoutEnding(node: Node): Node {
  if (node.is === 'one') return { is: 'one', of: node.of.map(withoutEnding) };
  if (node.is !== 'all') return node;
  const last = node.of.at(-1);
  const isEnding = last?.is === 'one' && last.of.some((one) => one.is === 'all' && one.of[0]?.is === 'end');
  return isEnding ? { is: 'all', of: node.of.slice(0, -1) } : node;
}

/** Without what may be absent at the front, and without alternatives that begin with nothing distinct. */
function withoutShort(node: Node): Node {
  if (node.is === 'one') {
    const kept = node.of.map(withoutShort).filter((one) => beginnings(one).texts.every(isDistinct));
    return kept.length === 0 || beginnings(node).whole ? node : { is: 'one', of: kept };
  }
  if (node.is !== 'all') return node;
  const [first, ...rest] = node.of;
  if (first === undefined) return node;
  if (first.is === 'border') {
    const inner = withoutShort({ is: 'all', of: rest });
    return { is: 'all', of: [first, ...(inner.is === 'all' ? inner.of : [inner])] };
  }
  if (first.is === 'times' && first.min === 0 && first.of.is !== 'class') return withoutShort({ is: 'all', of: rest });
  return { is: 'all', of: [withoutShort(first), ...rest] };
}

function bounded(node: Node): Node {
  if (node.is === 'all' || node.is === 'one') return { ...node, of: node.of.map(bounded) };
  if (node.is !== 'times') return node;
  const most = node.min > 1 ? mostTimes.counted : mostTimes.other;
  return { ...node, of: bounded(node.of), max: Number.isFinite(node.max) ? node.max : most };
}

function moduleOf(rules: readonly Rule[]): string {
  const quoted = (text: string): string =>
    text.includes("'") ? JSON.stringify(text) : `'${text.replaceAll('\\', '\\\\')}'`;
  const lines = rules.map(
    ({ id, starts, pattern }) =>
      `  { rule: ${quoted(id)}, starts: [${starts.map(quoted).join(', ')}], pattern: ${quoted(pattern)} },`,
  );
  return `// Generated by scripts/secret-rules/main.ts from gitleaks ${pin.version} (config/gitleaks.toml, SHA-256 ${pin.sha256}):
// its rules that begin with a text of their own. Do not edit.
//
// MIT License, Copyright (c) 2019 Zachary Rice. Permission is hereby granted, free of charge, to any person obtaining a copy of this
// software and associated documentation files, to deal in the Software without restriction, including without limitation the rights to
// use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, subject to this notice being included
// in all copies or substantial portions of the Software. The Software is provided "as is", without warranty of any kind.

export type SecretRule = {
  readonly rule: string;
  /** Every match begins with one of these. */
  readonly starts: readonly string[];
  readonly pattern: string;
};

// biome-ignore format: one rule, one line
export const gitleaksRules: readonly SecretRule[] = [
${lines.join('\n')}
];
`;
}
