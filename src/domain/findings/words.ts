import { canonicalJson } from '../plan/plan.ts';
import { maskShapes } from '../secrets/secret-shapes.ts';
import type { Finding } from './finding.ts';

/** Masks a program's text and cuts it to the length that a finding may hold. Masking comes first, because half a secret is not recognised. */
export function boundedWords(text: string, most = 1_000): string {
  const words = maskShapes(text.trim());
  return words.length <= most ? words : `${words.slice(0, most)}…`;
}

const mostCharacters = 300;
const mostItems = 50;

/** Cuts the texts and lists of a finding, so that one about a huge document can be stored. */
export const boundedFinding = (finding: Finding): Finding => bounded(finding) as Finding;

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= mostCharacters ? value : `${value.slice(0, mostCharacters)}…`;
  if (Array.isArray(value)) return value.slice(0, mostItems).map(bounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, bounded(field)]));
}

/** Compares two values without their `words`. */
export const sameStructure = (a: unknown, b: unknown): boolean =>
  canonicalJson(withoutWords(a)) === canonicalJson(withoutWords(b));

function withoutWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'words')
      .map(([key, field]) => [key, withoutWords(field)]),
  );
}
