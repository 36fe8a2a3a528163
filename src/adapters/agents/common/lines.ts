import { canonicalJson } from '../../../domain/plan/plan.ts';
import { shallowJson } from './shallow-json.ts';

/** An agent's own documents: nothing in them is believed to be there. */
export type Fields = Readonly<Record<string, unknown>>;

export const parseFields = (line: string): Fields | null => fieldsOf(shallowJson(line));

export const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const partsOf = (value: unknown): readonly Fields[] =>
  listOf(value)
    .map(fieldsOf)
    .filter((part): part is Fields => part !== null);
export const countOf = (value: unknown): number => Math.max(0, numberOf(value) ?? 0);

const shortest = 4096;

/** What tells two calls apart, bounded: a written file of megabytes is not kept for it. */
export function inputKey(input: Fields, without: readonly string[] = []): string {
  const kept = Object.fromEntries(Object.entries(input).filter(([name]) => !without.includes(name)));
  const text = canonicalJson(kept);
  return text.length <= shortest ? text : `${text.slice(0, shortest)}…${text.length}:${checksum(text)}`;
}

function checksum(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) sum = (sum * 31 + text.charCodeAt(index)) >>> 0;
  return sum;
}
