import type { z } from 'zod';
import { idPattern } from '../../domain/base/ids.ts';
import { nearestWord } from '../../domain/base/nearest-word.ts';
import type { NamedValue, ValueType } from '../../domain/findings/document-rules.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import type { Place, PlanProblem } from '../../domain/plan/plan-draft.ts';
import { durationPattern, saysSomething } from '../../domain/settings/settings.ts';
import { keysAt, levelAt, levelsWith } from './key-levels.ts';

type Issue = z.core.$ZodIssue;
type Issues = readonly Issue[];

/** The schema that a document was held against, and every key that occurs anywhere in it. */
export type KnownKeys = { readonly schema: z.ZodType; readonly all: readonly string[] };

/** One problem per mistake in `value`. `known`: what an unknown key may have meant; null: nothing is suggested. */
export function problemsOf(
  issues: Issues,
  value: unknown,
  known: KnownKeys | null,
  base: Place = [],
): readonly PlanProblem[] {
  return issues.flatMap((issue) => {
    const place = [...base, ...issue.path] as Place;
    if (issue.code === 'invalid_union') return problemsOfUnion(issue.errors, value, known, place);
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(key, [...place, key], known));
    return [problemOf(issue, typeAt(value, place), place)];
  });
}

function unknownKey(key: string, place: Place, known: KnownKeys | null): PlanProblem {
  const among = place.join('.') === 'taps.agents' ? 'person' : 'keys';
  const { meant, belongs } = known === null ? { meant: null, belongs: [] } : meaningOf(key, place, known);
  const levels = belongs.length === 0 ? {} : { belongs };
  return { rule: 'unknown-key', key, meant, ...levels, among, place, at: 'key' };
}

/** What a key may have meant, and where that belongs if not here. A key that is known elsewhere means itself. */
function meaningOf(key: string, place: Place, { schema, all }: KnownKeys) {
  const here = levelAt(schema, place.slice(0, -1));
  const elsewhere = (word: string) => {
    const levels = levelsWith(word);
    return here !== null && levels.includes(here) ? [] : levels;
  };
  const synonym = synonyms.get(key);
  if (synonym !== undefined) return { meant: synonym, belongs: elsewhere(synonym) };
  const belongs = elsewhere(key);
  if (belongs.length > 0) return { meant: null, belongs };
  // `id` is a key of tasks in a list, and of no others
  const among = (words: readonly string[]) =>
    nearestWord(
      key,
      words.filter((word) => word !== key),
    );
  const near = among(keysAt(here));
  if (near !== null) return { meant: near, belongs: [] };
  const meant = among(all);
  return { meant, belongs: meant === null ? [] : elsewhere(meant) };
}

const synonyms: ReadonlyMap<string, string> = new Map([
  ['depends', 'needs'],
  ['depends_on', 'needs'],
  ['dependsOn', 'needs'],
  ['files', 'owns'],
  ['scope', 'owns'],
  ['prompt', 'do'],
  ['brief', 'do'],
  ['directive', 'do'],
  ['timeout', 'minutes'],
]);

function problemOf(issue: Issue, actual: ValueType, place: Place): PlanProblem {
  const of = { ...nameOf(place), place };
  switch (issue.code) {
    case 'invalid_type':
      return actual === 'missing'
        ? { rule: 'missing-key', ...of }
        : { rule: 'wrong-type', expected: [expectedType(issue.expected)], actual, ...of };
    case 'invalid_value':
      return { rule: 'wrong-value', must: { be: 'one-of', choices: issue.values.map(String) }, ...of };
    case 'invalid_key':
      return issue.issues.some((inner) => hasPattern(inner, idPattern))
        ? { rule: 'bad-id', fault: 'task-id', ...of, at: 'key' }
        : { rule: 'wrong-value', must: { be: 'valid-key' }, ...of, at: 'key' };
    case 'invalid_format':
      if (hasPattern(issue, idPattern)) return { rule: 'bad-id', fault: 'id', ...of };
      if (hasPattern(issue, saysSomething)) return { rule: 'empty-text', ...of };
      return {
        rule: 'wrong-value',
        must: { be: hasPattern(issue, durationPattern) ? 'duration' : 'well-formed' },
        ...of,
      };
    case 'too_small':
    case 'too_big':
      return { rule: 'wrong-value', must: boundOf(issue), ...of };
    default:
      return { rule: 'wrong-value', must: { be: 'other', words: boundedWords(issue.message, 300) }, ...of };
  }
}

function nameOf(place: Place): NamedValue {
  const key = place.findLast((step) => typeof step === 'string') ?? null;
  return { key, isItem: key !== null && typeof place.at(-1) === 'number' };
}

function boundOf(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>) {
  const unit = units[issue.origin] ?? null;
  return issue.code === 'too_small'
    ? ({ be: issue.inclusive ? 'at-least' : 'more-than', bound: Number(issue.minimum), unit } as const)
    : ({ be: issue.inclusive ? 'at-most' : 'less-than', bound: Number(issue.maximum), unit } as const);
}

const units: Readonly<Record<string, 'characters' | 'items'>> = { string: 'characters', array: 'items' };

/** The branch that the writer most likely meant: one that fails deeper than at its own type. */
function problemsOfUnion(
  branches: readonly Issues[],
  value: unknown,
  known: KnownKeys | null,
  place: Place,
): readonly PlanProblem[] {
  const taken = (branch: Issues) => problemsOf(branch, value, known, place);
  const deeper = branches.find((issues) => !issues.some((issue) => issue.path.length === 0 && isShallow(issue)));
  if (deeper) return taken(deeper);
  const choice = branches.find((issues) => issues.some((issue) => issue.code === 'invalid_value'));
  if (choice && branches.every((issues) => !issues.some(isCollection))) return taken(choice);
  const mistyped = branches.flat().filter((issue) => issue.code === 'invalid_type');
  const [first] = mistyped;
  if (first === undefined) return taken(choice ?? branches[0] ?? []);
  const at = [...place, ...first.path] as Place;
  const actual = typeAt(value, at);
  const [choices] = choice ?? [];
  if (actual === 'text' && choices?.code === 'invalid_value' && choices.values.length > 1) return taken([choices]);
  const expected = [...new Set(mistyped.map((issue) => expectedType(issue.expected)))];
  return [{ rule: 'wrong-type', expected, actual, ...nameOf(at), place: at }];
}

const isShallow = (issue: Issue): boolean => issue.code === 'invalid_type' || issue.code === 'invalid_value';
const isCollection = (issue: Issue): boolean =>
  issue.code === 'invalid_type' && ['array', 'object', 'record'].includes(issue.expected);
const hasPattern = (issue: Issue, pattern: RegExp): boolean =>
  issue.code === 'invalid_format' && 'pattern' in issue && issue.pattern === String(pattern);

const expectedType = (name: string): ValueType => typesByName[name] ?? 'other';
const typesByName: Readonly<Record<string, ValueType>> = {
  string: 'text',
  number: 'number',
  int: 'whole-number',
  boolean: 'boolean',
  array: 'list',
  object: 'mapping',
  record: 'mapping',
  null: 'empty',
};

function typeAt(root: unknown, place: Place): ValueType {
  const value = place.reduce<unknown>((at, step) => (hasKey(at, step) ? at[step] : undefined), root);
  if (value === undefined) return 'missing';
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number')
    return Number.isNaN(value) ? 'not-a-number' : Number.isFinite(value) ? 'number' : 'infinite';
  return typesByName[typeof value] ?? 'other';
}

const hasKey = (value: unknown, key: string | number): value is Readonly<Record<string | number, unknown>> =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key);
