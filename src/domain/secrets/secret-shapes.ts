import type { LedgerEvent } from '../ledger/events.ts';
import { gitleaksRules, type SecretRule } from './secret-rules.ts';

/** A place in a text that looks like a credential. */
export type SecretSpan = { readonly rule: string; readonly from: number; readonly to: number };

/** The longest credential that is matched, so that this much text decides about any position. */
export const longestSecret = 16_384;

const gap = String.raw`(?:\s|\\+[nr])`;
const body = '[A-Za-z0-9+/=]';
const keyHeader = '-----BEGIN[ A-Z0-9_]{0,100}PRIVATE KEY(?: BLOCK)?-----';
const keyFooter = '-----END[ A-Z0-9_]{0,100}KEY(?: BLOCK)?-----';
const keyLine = String.raw`(?:${body}{20,4096}|[A-Za-z-]{3,20}: [^\n\\"]{0,100})`;

/** Rules that gitleaks lacks: logins of agents, and private keys that are masked even without their end. */
const ownRules: readonly SecretRule[] = [
  { rule: 'anthropic-token', starts: ['sk-ant-'], pattern: String.raw`\bsk-ant-[\w-]{24,512}` },
  {
    rule: 'openai-project-key',
    starts: ['sk-proj-', 'sk-svcacct-'],
    pattern: String.raw`\bsk-(?:proj|svcacct)-[\w-]{32,512}`,
  },
  {
    rule: 'private-key',
    starts: ['-----BEGIN'],
    pattern: `${keyHeader}(?:${gap}{1,8}${keyLine}){0,200}(?:(?:${gap}{1,8}${body}{1,76})?(?:${gap}{0,8}${keyFooter}|$))?`,
  },
];

export const secretRules: readonly SecretRule[] = [...gitleaksRules, ...ownRules];

const finder = startFinder(secretRules.flatMap(({ starts }) => starts));
/** `bordered`: the match does not begin within a word. The letter of an escape (`\n` in JSON) is not part of a word. */
type CompiledRule = { readonly rule: string; readonly pattern: RegExp; readonly bordered: boolean };
const rulesOf: ReadonlyMap<string, readonly CompiledRule[]> = compileRules(secretRules);

/** Returns the places that look like a credential, in order and without overlap. */
export function secretSpans(text: string): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  let from = 0;
  for (let start = finder.next(text, 0); start !== null; start = finder.next(text, from)) {
    const span = spanAt(text, start);
    if (span !== null) spans.push(span);
    from = span?.to ?? start.key + 1;
  }
  return spans;
}

/** Returns the position from which more text could complete or extend a credential; the length of the text if there is none. */
export function openFrom(text: string): number {
  const from = Math.max(0, text.length - longestSecret);
  const end = text.slice(from);
  return from + Math.min(openWord(end), openKey(end));
}

/** Returns the first rule that the text matches; null for none. */
export const secretIn = (text: string): string | null => secretSpans(text)[0]?.rule ?? null;

/** Masks everything in the text that looks like a credential. */
export function maskShapes(text: string): string {
  const spans = secretSpans(text);
  if (spans.length === 0) return text;
  const parts = spans.map(({ from, rule }, at) => `${text.slice(spans[at - 1]?.to ?? 0, from)}${markOf(rule)}`);
  return `${parts.join('')}${text.slice(spans.at(-1)?.to)}`;
}

/** Masks every text in a JSON value. Names of fields are not checked. */
export function maskTexts<T>(value: T): T {
  const mask = (part: unknown): unknown => {
    if (typeof part === 'string') return maskShapes(part);
    if (Array.isArray(part)) return part.map(mask);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, field]) => [key, mask(field)]));
  };
  return mask(value) as T;
}

/** The placeholder of a masked credential. It names the rule that matched. */
export const markOf = (rule: string): string => `[redacted ${rule}]`;

/** Returns the longest match that begins here. */
function spanAt(text: string, { at, starts }: { at: number; starts: readonly string[] }): SecretSpan | null {
  let longest: SecretSpan | null = null;
  for (const start of starts) {
    if (!text.startsWith(start, at)) continue;
    for (const { rule, pattern, bordered } of rulesOf.get(start) ?? []) {
      if (bordered && isWithinWord(text, at)) continue;
      pattern.lastIndex = at;
      if (pattern.test(text) && pattern.lastIndex > (longest?.to ?? at))
        longest = { rule, from: at, to: Math.min(pattern.lastIndex, at + longestSecret) };
    }
  }
  return longest;
}

/** Only the last word of a text can grow, because credentials contain no blank and no quote. */
function openWord(text: string): number {
  const word = Math.max(...blanks.map((blank) => text.lastIndexOf(blank))) + 1;
  for (let match = finder.next(text, word); match !== null; match = finder.next(text, match.key + 1))
    if (match.starts.some((start) => mayBegin(text, match.at, start))) return match.at;
  for (let at = Math.max(word, text.length - 2); at < text.length; at += 1)
    if (finder.beginsWith(text.slice(at))) return at;
  return text.length;
}

const blanks = [' ', '\n', '"', '\t', '\r'];

function mayBegin(text: string, at: number, start: string): boolean {
  if (!start.startsWith(text.slice(at, at + start.length))) return false;
  return !isWithinWord(text, at) || (rulesOf.get(start) ?? []).some(({ bordered }) => !bordered);
}

/** The number of characters before a position that decide whether a credential can begin there. */
export const borderLength = 6;
const border = /(?:^|\W|\\[bfnrt]|\\u[0-9a-fA-F]{4})$/;
const isWithinWord = (text: string, at: number): boolean =>
  !border.test(text.slice(Math.max(0, at - borderLength), at));

/** A private key spans lines. It can grow while the text consists only of what keys consist of. */
function openKey(text: string): number {
  const header = text.lastIndexOf('-----BEGIN');
  const since = header < 0 ? '' : text.slice(header);
  if (openHeader.test(since) && !lastLine.test(since)) return header;
  return /-{1,5}(?:BE?G?I?)?$/.exec(text)?.index ?? text.length;
}
const lastLine = new RegExp(keyFooter);
const openHeader = new RegExp(
  `^(?:-----BEGIN[ A-Z0-9_]{0,100}-{0,5}|${keyHeader}[A-Za-z0-9+/=\\s\\\\:,.-]*(?:-----END[ A-Z0-9_]{0,100}-{0,5})?)$`,
);

function compileRules(rules: readonly SecretRule[]): ReadonlyMap<string, readonly CompiledRule[]> {
  const byStart = new Map<string, CompiledRule[]>();
  for (const { rule, starts, pattern } of rules) {
    const one = {
      rule,
      pattern: new RegExp(pattern.replace(/^\\b/, ''), 'y'),
      bordered: pattern.startsWith('\\b'),
    };
    for (const start of starts) byStart.set(start, [...(byStart.get(start) ?? []), one]);
  }
  return byStart;
}

/** `at` is the position where one of `starts` may begin; `key` is the position of the three characters that matched. */
type PossibleStart = { readonly at: number; readonly key: number; readonly starts: readonly string[] };

/**
 * Finds the positions where one of many prefixes may begin, by three characters of each. All output of agents passes through this, so
 * pairs of characters are looked up in a table, and most steps skip two characters.
 */
function startFinder(starts: readonly string[]): {
  /** Returns the first match whose key is at `from` or later. */
  next(text: string, from: number): PossibleStart | null;
  /** True when a prefix begins with this short text. */
  beginsWith(text: string): boolean;
} {
  const byKey = Map.groupBy(new Set(starts), (start) => start.slice(keyAt(start), keyAt(start) + 3));
  /** 0: the last two characters of a key; 1: the first two of one; 2: neither. */
  const steps = new Uint8Array(1 << 16).fill(2);
  for (const key of byKey.keys()) {
    const first = (key.charCodeAt(0) << 8) | key.charCodeAt(1);
    steps[first] = Math.min(1, steps[first] ?? 1);
    steps[(key.charCodeAt(1) << 8) | key.charCodeAt(2)] = 0;
  }
  const short = new Set(starts.flatMap((start) => [start.slice(0, 1), start.slice(0, 2)]));
  return {
    next(text, from) {
      const end = text.length - 1;
      for (let at = from + 1; at < end; ) {
        const step = steps[((text.charCodeAt(at) & 255) << 8) | (text.charCodeAt(at + 1) & 255)] ?? 0;
        at += step === 0 ? 1 : step;
        if (step !== 0) continue;
        const key = at - 2;
        const matches = byKey.get(text.slice(key, key + 3));
        const offset = keyAt(matches?.[0] ?? '');
        if (matches !== undefined && key >= offset) return { at: key - offset, key, starts: matches };
      }
      return null;
    },
    beginsWith: (text) => short.has(text),
  };
}

/** The key of a prefix skips leading dashes, which are too common in text. */
function keyAt(start: string): number {
  return start.startsWith('-----') ? 5 : 0;
}

/** Fields with free text of people, agents and programs. All others are names that are looked up again. */
const textFields = new Set([
  ...['text', 'message', 'words', 'tail', 'why', 'refusals', 'linkTarget'],
  ...['summary', 'remaining', 'proofs', 'questions', 'dropped'],
]);

/**
 * Masks credentials in the free text of an event before it is stored. A plan is stored as it was approved; one with a credential is
 * refused earlier (rule `plan-secret`).
 */
export function maskedEvent<T extends LedgerEvent>(event: T): T {
  return secretIn(JSON.stringify(event)) === null ? event : (withoutSecrets(event) as T);
}

function withoutSecrets(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutSecrets);
  if (typeof part !== 'object' || part === null) return part;
  const masked = (key: string, field: unknown): unknown => {
    if (key === 'plan') return field;
    return textFields.has(key) ? maskTexts(field) : withoutSecrets(field);
  };
  return Object.fromEntries(Object.entries(part).map(([key, field]) => [key, masked(key, field)]));
}
