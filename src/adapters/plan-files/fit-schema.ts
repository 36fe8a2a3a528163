import { z } from 'zod';
import { idPattern } from '../../domain/base/ids.ts';
import { nearestWord } from '../../domain/base/nearest-word.ts';
import type { KeyLevel, NamedValue, ValueType } from '../../domain/findings/document-rules.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import type { Place, PlanProblem } from '../../domain/plan/plan-draft.ts';
import { durationPattern, saysSomething } from '../../domain/settings/shapes.ts';
import { configSchema, frontMatterSchema, planSchema } from './schema.ts';

/**
 * Fits a document to its schema. When it does not fit, the wrong parts are cut out and the rest is returned, so that one mistake does
 * not hide the others. `damaged` are the places that were cut.
 */
export function fitSchema<T>(
  schema: z.ZodType<T>,
  value: unknown,
): { readonly data: T | null; readonly problems: readonly PlanProblem[]; readonly damaged: readonly Place[] } {
  const forbidden = protoKeys(value);
  const first = schema.safeParse(value);
  if (first.success && forbidden.length === 0) return { data: first.data, problems: [], damaged: [] };
  const problems = [...forbidden, ...(first.success ? [] : problemsOf(first.error.issues, value, schema))];
  const rest = structuredClone(value);
  const damaged: Place[] = [];
  // Cutting a required key makes its parent unfit in turn, so this takes a few rounds, one level up each time.
  for (let round = 0; round < 6; round++) {
    const parsed = schema.safeParse(rest);
    if (parsed.success) return { data: parsed.data, problems, damaged };
    for (const { place } of problemsOf(parsed.error.issues, rest, null)) damaged.push(cut(rest, place));
  }
  return { data: null, problems, damaged };
}

/** Removes the nearest mapping entry at or above a place; list items keep their neighbours' indexes that way. */
function cut(root: unknown, place: Place): Place {
  for (let length = place.length; length > 0; length--) {
    const key = place[length - 1];
    const parent = place
      .slice(0, length - 1)
      .reduce<unknown>((at, step) => (isMapping(at) ? at[step] : undefined), root);
    if (typeof key !== 'string' || !isMapping(parent) || Array.isArray(parent) || !Object.hasOwn(parent, key)) continue;
    delete parent[key];
    return place.slice(0, length);
  }
  return [];
}

/** Parsers drop this key without a word; a task or setting must not vanish. */
function protoKeys(value: unknown, place: Place = [], depth = 0): readonly PlanProblem[] {
  if (!isMapping(value) || depth > 8) return [];
  return Object.keys(value).flatMap((key): readonly PlanProblem[] => {
    const here = [...place, Array.isArray(value) ? Number(key) : key];
    if (key === '__proto__') return [{ rule: 'unknown-key', key, meant: null, among: 'keys', place: here, at: 'key' }];
    return protoKeys(value[key], here, depth + 1);
  });
}

type Mapping = Record<string | number, unknown>;
export const isMapping = (value: unknown): value is Mapping => typeof value === 'object' && value !== null;

const keysOfSchema = new WeakMap<z.ZodType, readonly string[]>();

/** Every key that occurs anywhere in a schema: a misspelt one may have meant any of them. */
function knownKeys(schema: z.ZodType): readonly string[] {
  const keys = keysOfSchema.get(schema) ?? collectKeys(z.toJSONSchema(schema, { io: 'input' }));
  keysOfSchema.set(schema, keys);
  return keys;
}

function collectKeys(node: unknown): readonly string[] {
  if (!isMapping(node)) return [];
  const own = isMapping(node['properties']) ? Object.keys(node['properties']) : [];
  return [...new Set([...own, ...Object.values(node).flatMap(collectKeys)])];
}

type Issue = z.core.$ZodIssue;
type Issues = readonly Issue[];

/** One problem per mistake in `value`. `schema`: where unknown keys are looked up for a suggestion; null: nothing is suggested. */
export function problemsOf(
  issues: Issues,
  value: unknown,
  schema: z.ZodType | null,
  base: Place = [],
): readonly PlanProblem[] {
  return issues.flatMap((issue) => {
    const place = [...base, ...issue.path] as Place;
    if (issue.code === 'invalid_union') return problemsOfUnion(issue.errors, value, schema, place);
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(key, [...place, key], schema));
    return [problemOf(issue, typeAt(value, place), place)];
  });
}

function unknownKey(key: string, place: Place, schema: z.ZodType | null): PlanProblem {
  const among = place.join('.') === 'taps.agents' ? 'person' : 'keys';
  const { meant, belongs } = schema === null ? { meant: null, belongs: [] } : meaningOf(key, place, schema);
  const levels = belongs.length === 0 ? {} : { belongs };
  return { rule: 'unknown-key', key, meant, ...levels, among, place, at: 'key' };
}

/** Returns the key that was likely meant, and where it belongs if not here. A key that is known elsewhere means itself. */
function meaningOf(key: string, place: Place, schema: z.ZodType) {
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
  const meant = among(knownKeys(schema));
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
  schema: z.ZodType | null,
  place: Place,
): readonly PlanProblem[] {
  const taken = (branch: Issues) => problemsOf(branch, value, schema, place);
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

/** Returns the levels that have this key. Configuration takes every key of a plan, so it is named only for its own keys. */
function levelsWith(key: string): readonly KeyLevel[] {
  const levels = [...keysByLevel()].flatMap(([level, keys]) => (keys.has(key) ? [level] : []));
  return levels.includes('plan') ? levels.filter((level) => level !== 'configuration') : levels;
}

const keysAt = (level: KeyLevel | null): readonly string[] =>
  level === null ? [] : [...(keysByLevel().get(level) ?? [])];

/** The level of a mapping in a document; null where keys are free, as those of `generated`. */
function levelAt(schema: z.ZodType, mapping: Place): KeyLevel | null {
  const top = schema === planSchema ? 'plan' : schema === frontMatterSchema ? 'task' : 'configuration';
  const names = mapping.filter((step) => typeof step === 'string');
  // people name the tasks of a mapping; those of a list have an index
  const tasks = top === 'plan' ? names.indexOf('tasks') : -1;
  if (tasks !== -1) {
    const depth = mapping.indexOf('tasks') + 1;
    const below = mapping.slice(depth + 1).filter((step) => typeof step === 'string');
    return mapping.length === depth ? null : below.length === 0 ? 'task' : levelNamed(below.join('.'));
  }
  if (names.length === 0) return top;
  return names[0] === 'waves' ? 'wave' : levelNamed(names.join('.'));
}

const levelNamed = (path: string): KeyLevel | null => nestedLevels.find((level) => level === path) ?? null;

/** Mappings within mappings, by the keys that lead there. */
const nestedLevels = [
  'limits',
  'limits.run',
  'fence',
  'taps',
  'checks',
  'setup',
  'thread',
  'exit',
  'disk',
  'notify',
] as const;

type KeysByLevel = ReadonlyMap<KeyLevel, ReadonlySet<string>>;
let levelKeys: KeysByLevel | null = null;

/** Computed for the first mistake. */
function keysByLevel(): KeysByLevel {
  levelKeys ??= collectLevels();
  return levelKeys;
}

function collectLevels(): KeysByLevel {
  const [plan, config, task] = [planSchema, configSchema, frontMatterSchema].map((schema) =>
    z.toJSONSchema(schema, { io: 'input' }),
  );
  const levels = new Map<KeyLevel, ReadonlySet<string>>();
  levels.set('plan', propertiesOf(plan));
  levels.set('wave', propertiesOf(plan, 'waves'));
  levels.set('task', new Set([...propertiesOf(task), 'do']));
  for (const level of nestedLevels) {
    const path = level.split('.');
    levels.set(level, new Set([...propertiesOf(config, ...path), ...propertiesOf(task, ...path)]));
  }
  levels.set('configuration', propertiesOf(config));
  return levels;
}

/** The keys of the mapping that these keys lead to, through lists and alternatives. */
function propertiesOf(node: unknown, ...path: readonly string[]): ReadonlySet<string> {
  const [step, ...rest] = path;
  return new Set(
    mappingsIn(node).flatMap((properties) => {
      if (step === undefined) return Object.keys(properties);
      return Object.hasOwn(properties, step) ? [...propertiesOf(properties[step], ...rest)] : [];
    }),
  );
}

function mappingsIn(node: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!isMapping(node) || Array.isArray(node)) return [];
  const { properties, items, anyOf } = node;
  return [
    ...(isMapping(properties) ? [properties] : []),
    ...mappingsIn(items),
    ...(Array.isArray(anyOf) ? anyOf.flatMap(mappingsIn) : []),
  ];
}
