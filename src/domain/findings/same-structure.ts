import { canonicalJson } from '../plan/plan.ts';

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
