import { err, ok, type Result } from '../base/result.ts';
import { type Maturity, maturity } from '../plan/maturity.ts';

/** A component reaches the next level. `from` is the level before it. */
export type LevelChange = { readonly component: string; readonly from: Maturity; readonly to: Maturity };

export type MatrixFault =
  | { readonly fault: 'unreadable' }
  | { readonly fault: 'unknown-component'; readonly component: string }
  | { readonly fault: 'component-current-level-stale'; readonly component: string; readonly level: string };

/** Returns the current level of every component of a matrix. Null when the text is not a matrix. */
export function readMatrix(text: string): ReadonlyMap<string, string> | null {
  const document = parsed(text);
  const components = isRecord(document) ? document['components'] : undefined;
  if (!isRecord(components)) return null;
  const levels = Object.entries(components).map(([id, component]) => [
    id,
    isRecord(component) ? component['currentLevel'] : null,
  ]);
  return levels.every(isLevel) ? new Map(levels) : null;
}

const isLevel = (entry: readonly unknown[]): entry is [string, string] => typeof entry[1] === 'string';

/** Writes new levels into the text of a matrix. Every other byte stays as it is. */
export function promoteMatrix(text: string, changes: readonly LevelChange[]): Result<string, MatrixFault> {
  const levels = readMatrix(text);
  const places = levelPlaces(text);
  if (levels === null || places === null) return err({ fault: 'unreadable' });
  const edits: { readonly start: number; readonly end: number; readonly level: string }[] = [];
  for (const { component, from, to } of changes) {
    const level = levels.get(component);
    const place = places.get(component);
    if (level === undefined || place === undefined) return err({ fault: 'unknown-component', component });
    if (level !== from) return err({ fault: 'component-current-level-stale', component, level });
    edits.push({ ...place, level: to });
  }
  const written = edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((all, { start, end, level }) => `${all.slice(0, start)}${JSON.stringify(level)}${all.slice(end)}`, text);
  const after = readMatrix(written);
  const isAsMeant = changes.every(({ component, to }) => after?.get(component) === to);
  return isAsMeant ? ok(written) : err({ fault: 'unreadable' });
}

type Place = { readonly start: number; readonly end: number };

/**
 * Finds the string of each `components.<id>.currentLevel`. Null when a key occurs twice on the way, because readers disagree about
 * which of them counts.
 */
function levelPlaces(text: string): ReadonlyMap<string, Place> | null {
  const places = new Map<string, Place>();
  const path: string[] = [];
  const seen = new Set<string>();
  let key: string | null = null;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (token === '{' || token === '[') {
      path.push(key ?? '');
      key = null;
    } else if (token === '}' || token === ']') {
      path.pop();
      key = null;
    } else if (token === ',') key = null;
    else if (key === null && token.startsWith('"')) {
      key = String(JSON.parse(token));
      const whole = JSON.stringify([...path, key]);
      if (isOnTheWay(path) && seen.has(whole)) return null;
      seen.add(whole);
    } else if (path.length === 3 && path[1] === 'components' && key === 'currentLevel' && token.startsWith('"'))
      places.set(path[2] ?? '', { start: index, end: index + token.length });
  }
  return places;
}

const isOnTheWay = (path: readonly string[]): boolean =>
  path.length === 1 || (path[1] === 'components' && path.length <= 3);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the level before this one; null for the lowest and for other words. */
export const levelBefore = (level: string): Maturity | null => {
  const levels: readonly string[] = maturity;
  return maturity[levels.indexOf(level) - 1] ?? null;
};
