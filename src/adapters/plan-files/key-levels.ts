import { z } from 'zod';
import type { KeyLevel } from '../../domain/findings/document-rules.ts';
import type { Place } from '../../domain/plan/plan-draft.ts';
import { configSchema, frontMatterSchema, planSchema } from './schema.ts';

/** Where each key of plans and configuration may stand, read from the schemas themselves. */

/** The levels that have this key; none for a key that nothing has. What a plan may say, configuration may say too. */
export function levelsWith(key: string): readonly KeyLevel[] {
  const levels = [...keysByLevel()].flatMap(([level, keys]) => (keys.has(key) ? [level] : []));
  return levels.includes('plan') ? levels.filter((level) => level !== 'configuration') : levels;
}

export const keysAt = (level: KeyLevel | null): readonly string[] =>
  level === null ? [] : [...(keysByLevel().get(level) ?? [])];

/** The level of a mapping in a document; null where keys are free, as those of `generated`. */
export function levelAt(schema: z.ZodType, mapping: Place): KeyLevel | null {
  const top = schema === planSchema ? 'plan' : schema === frontMatterSchema ? 'task' : 'configuration';
  const names = mapping.filter((step) => typeof step === 'string');
  // a task is named by whoever writes the plan, in a list it has an index
  const tasks = top === 'plan' ? names.indexOf('tasks') : -1;
  if (tasks !== -1) {
    const depth = mapping.indexOf('tasks') + 1;
    const below = mapping.slice(depth + 1).filter((step) => typeof step === 'string');
    return mapping.length === depth ? null : below.length === 0 ? 'task' : levelNamed(below.join('.'));
  }
  if (names.length === 0) return top;
  return names[0] === 'waves' ? 'wave' : levelNamed(names.join('.'));
}

const levelNamed = (path: string): KeyLevel | null => nested.find((level) => level === path) ?? null;

/** Mappings within mappings, by the keys that lead there. */
const nested = [
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

let known: ReadonlyMap<KeyLevel, ReadonlySet<string>> | null = null;

/** Made when the first mistake asks for it. */
function keysByLevel(): ReadonlyMap<KeyLevel, ReadonlySet<string>> {
  known ??= collect();
  return known;
}

function collect(): ReadonlyMap<KeyLevel, ReadonlySet<string>> {
  const [plan, config, task] = [planSchema, configSchema, frontMatterSchema].map((schema) =>
    z.toJSONSchema(schema, { io: 'input' }),
  );
  const levels = new Map<KeyLevel, ReadonlySet<string>>();
  levels.set('plan', propertiesOf(plan));
  levels.set('wave', propertiesOf(plan, 'waves'));
  levels.set('task', new Set([...propertiesOf(task), 'do']));
  for (const level of nested) {
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
  if (!isObject(node)) return [];
  const { properties, items, anyOf } = node;
  return [
    ...(isObject(properties) ? [properties] : []),
    ...mappingsIn(items),
    ...(Array.isArray(anyOf) ? anyOf.flatMap(mappingsIn) : []),
  ];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
