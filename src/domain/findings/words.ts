import { canonicalJson } from '../plan/plan.ts';
import { maskShapes } from '../secrets/secret-shapes.ts';
import type { Finding } from './finding.ts';

/** Words of a program or of the system, cut to the length that a finding may hold. Masked first: a part of a secret is not known as one. */
export function boundedWords(text: string, most = 1_000): string {
  const words = maskShapes(text.trim());
  return words.length <= most ? words : `${words.slice(0, most)}…`;
}

const mostCharacters = 300;
const mostItems = 50;

/** A finding about a document of any size, short enough to be kept: texts and lists in it are cut. */
export const boundedFinding = (finding: Finding): Finding => bounded(finding) as Finding;

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= mostCharacters ? value : `${value.slice(0, mostCharacters)}…`;
  if (Array.isArray(value)) return value.slice(0, mostItems).map(bounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, bounded(field)]));
}

/** Whether two values say the same, whatever words of others they carry along. */
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
