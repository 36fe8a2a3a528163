import { z } from 'zod';
import type { Place, PlanProblem } from '../../domain/plan/plan-draft.ts';
import { problemsOf } from './issues.ts';

/**
 * Fits a document to its schema. When it does not fit, what is wrong is cut out and the rest returned all the same,
 * so that one mistake does not hide the others; `damaged` are the places that were cut.
 */
export function fitSchema<T>(
  schema: z.ZodType<T>,
  value: unknown,
): { readonly data: T | null; readonly problems: readonly PlanProblem[]; readonly damaged: readonly Place[] } {
  const forbidden = protoKeys(value);
  const first = schema.safeParse(value);
  if (first.success && forbidden.length === 0) return { data: first.data, problems: [], damaged: [] };
  const problems = [
    ...forbidden,
    ...(first.success ? [] : problemsOf(first.error.issues, value, { schema, all: knownKeys(schema) })),
  ];
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

/** Every key that occurs anywhere in a schema: what a misspelt one may have meant. */
function knownKeys(schema: z.ZodType): readonly string[] {
  const known = keysOfSchema.get(schema) ?? collectKeys(z.toJSONSchema(schema, { io: 'input' }));
  keysOfSchema.set(schema, known);
  return known;
}

function collectKeys(node: unknown): readonly string[] {
  if (!isMapping(node)) return [];
  const own = isMapping(node['properties']) ? Object.keys(node['properties']) : [];
  return [...new Set([...own, ...Object.values(node).flatMap(collectKeys)])];
}
