import { knownRules } from '../../src/domain/explain/explain.ts';
import type { Finding } from '../../src/domain/findings/finding.ts';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import { factsOfOthers, wordsOfOthers } from '../../src/domain/ledger/words-of-others.ts';

/** A string of an event. `fact` is its name where it is a fact of a finding; `path` is that of the whole event. */
export type StoredString = {
  readonly type: LedgerEvent['type'];
  readonly path: string;
  readonly fact: string | null;
  /** Keys of objects are strings of somebody, too. */
  readonly isKey: boolean;
  readonly value: string;
};

type Place = Pick<StoredString, 'type' | 'path' | 'fact'> & { readonly inFinding: boolean };

export const stringsIn = (event: LedgerEvent): readonly StoredString[] =>
  below(event, { type: event.type, path: '', fact: null, inFinding: false });

function below(value: unknown, place: Place): readonly StoredString[] {
  const { type, path, fact } = place;
  if (typeof value === 'string') return [{ type, path, fact, isKey: false, value }];
  if (Array.isArray(value)) return value.flatMap((item) => below(item, { ...place, path: `${path}[]` }));
  if (value === null || typeof value !== 'object') return [];
  const inFinding = place.inFinding || isFinding(value);
  return Object.entries(value).flatMap(([key, field]) => {
    const at = { type, path: path === '' ? key : `${path}.${key}`, fact: inFinding ? key : null };
    return [{ ...at, isKey: true, value: key }, ...below(field, { ...at, inFinding })];
  });
}

const rules: ReadonlySet<string> = new Set(knownRules);
const isFinding = (value: object): value is Finding =>
  'rule' in value && typeof value.rule === 'string' && rules.has(value.rule);

/** Every finding in a value, those within others included. */
export function findingsBelow(value: unknown): readonly Finding[] {
  if (value === null || typeof value !== 'object') return [];
  return [...(isFinding(value) ? [value] : []), ...Object.values(value).flatMap(findingsBelow)];
}

const facts: ReadonlySet<string> = new Set(Object.values(factsOfOthers).flat());

/** The entry that says it is somebody's words; null when none does, so that it has to be data. */
export function entryOf({ type, path, fact, isKey }: StoredString): string | null {
  const listed = wordsOfOthers[type].find((entry) =>
    entry.endsWith('.**') ? path.startsWith(entry.slice(0, -2)) : entry === path && !isKey,
  );
  if (listed !== undefined || isKey) return listed ?? null;
  if (fact !== null) return facts.has(fact) ? fact : null;
  return /(?:^|\.)words(?:\[\])?$/.test(path) ? 'words' : null;
}
