import type { Finding } from './finding.ts';

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
