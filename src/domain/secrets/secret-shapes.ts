import { gitleaksRules, type SecretRule } from './secret-rules.ts';
import { startFinder } from './secret-starts.ts';

/** A place in a text that looks like a credential. */
export type SecretSpan = { readonly rule: string; readonly from: number; readonly to: number };

/** No credential that is found is longer, so that this much of a text decides about any place in it. */
export const longestSecret = 16_384;

const gap = String.raw`(?:\s|\\+[nr])`;
const body = '[A-Za-z0-9+/=]';
const keyHeader = '-----BEGIN[ A-Z0-9_]{0,100}PRIVATE KEY(?: BLOCK)?-----';
const keyFooter = '-----END[ A-Z0-9_]{0,100}KEY(?: BLOCK)?-----';
const keyLine = String.raw`(?:${body}{20,4096}|[A-Za-z-]{3,20}: [^\n\\"]{0,100})`;

/** Beside the kept list: logins of agents, which it does not have, and private keys, which are masked also when their end is missing. */
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
/** `bordered`: it does not begin within a word. The letter of an escape (`\n` in JSON) is no part of a word. */
type Compiled = { readonly rule: string; readonly pattern: RegExp; readonly bordered: boolean };
const rulesOf: ReadonlyMap<string, readonly Compiled[]> = compiled(secretRules);

/** Everything in the text that looks like a credential, in order and without overlap. */
export function secretSpans(text: string): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  let from = 0;
  for (let found = finder.next(text, 0); found !== null; found = finder.next(text, from)) {
    const span = spanAt(text, found);
    if (span !== null) spans.push(span);
    from = span?.to ?? found.key + 1;
  }
  return spans;
}

/** Where something begins that more text could make a credential, or a longer one; the length of the text if nothing does. */
export function openFrom(text: string): number {
  const from = Math.max(0, text.length - longestSecret);
  const end = text.slice(from);
  return from + Math.min(openWord(end), openKey(end));
}

/** The rule that some of this text matches; null: none. */
export const secretIn = (text: string): string | null => secretSpans(text)[0]?.rule ?? null;

/** The text with everything that looks like a credential masked. */
export function maskShapes(text: string): string {
  const spans = secretSpans(text);
  if (spans.length === 0) return text;
  const parts = spans.map(({ from, rule }, at) => `${text.slice(spans[at - 1]?.to ?? 0, from)}${markOf(rule)}`);
  return `${parts.join('')}${text.slice(spans.at(-1)?.to)}`;
}

/** Every text in a value that JSON can hold, masked. Names of fields are not looked at. */
export function maskTexts<T>(value: T): T {
  const mask = (part: unknown): unknown => {
    if (typeof part === 'string') return maskShapes(part);
    if (Array.isArray(part)) return part.map(mask);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, field]) => [key, mask(field)]));
  };
  return mask(value) as T;
}

/** Stands for what was masked, and names the rule that found it. */
export const markOf = (rule: string): string => `[redacted ${rule}]`;

/** The longest of the rules that begin here. */
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

/** Credentials hold no blank and no quote, so that only the last word of a text is open. */
function openWord(text: string): number {
  const word = Math.max(...blanks.map((blank) => text.lastIndexOf(blank))) + 1;
  for (let found = finder.next(text, word); found !== null; found = finder.next(text, found.key + 1))
    if (found.starts.some((start) => mayBegin(text, found.at, start))) return found.at;
  for (let at = Math.max(word, text.length - 2); at < text.length; at += 1)
    if (finder.beginsWith(text.slice(at))) return at;
  return text.length;
}

const blanks = [' ', '\n', '"', '\t', '\r'];

function mayBegin(text: string, at: number, start: string): boolean {
  if (!start.startsWith(text.slice(at, at + start.length))) return false;
  return !isWithinWord(text, at) || (rulesOf.get(start) ?? []).some(({ bordered }) => !bordered);
}

/** So many characters before a place decide whether a credential can begin there. */
export const borderLength = 6;
const border = /(?:^|\W|\\[bfnrt]|\\u[0-9a-fA-F]{4})$/;
const isWithinWord = (text: string, at: number): boolean =>
  !border.test(text.slice(Math.max(0, at - borderLength), at));

/** A private key has lines; it is open for as long as only what a key consists of has come. */
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

function compiled(rules: readonly SecretRule[]): ReadonlyMap<string, readonly Compiled[]> {
  const byStart = new Map<string, Compiled[]>();
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
