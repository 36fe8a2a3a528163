import { foldPath } from '../base/path-fold.ts';
import type { Check } from '../plan/plan.ts';
import { grantPattern } from '../scope/claims.ts';
import { matchesFolded, type Pattern } from '../scope/pattern.ts';

/**
 * A file that decides what a check proves: its outcome means something else once this has changed. `path` is a pattern of paths from
 * the top; it may name files that do not exist yet. `keys`: only these count; one that ends in `*` is all that begin so. Absent: the whole
 * file.
 */
export type Definition = { readonly path: string; readonly keys?: readonly string[] };

/** A definition that a change touches. `keys`: those of it that changed; absent where the file counts as a whole. */
export type Touched = { readonly checks: readonly string[]; readonly keys?: readonly string[] };

/** Each definition of each check, with its pattern compiled. */
export type Compiled = { readonly pattern: Pattern; readonly keys: readonly string[] | null; readonly check: string };
const known = new WeakMap<readonly Defined[], readonly Compiled[]>();
export type Defined = Pick<Check, 'name' | 'definitions'>;

/** The checks of a plan never change, so their patterns are compiled once. */
export function compileDefinitions(checks: readonly Defined[]): readonly Compiled[] {
  const made =
    known.get(checks) ??
    checks.flatMap(({ name, definitions = [] }) =>
      definitions.map(({ path, keys }) => ({ pattern: grantPattern(path), keys: keys ?? null, check: name })),
    );
  known.set(checks, made);
  return made;
}

type Met = { readonly check: string; readonly keys: readonly string[] | null };

/**
 * The checks that a change of this path touches; null when none. `changed` are the keys that differ. Null: nobody could tell, so every
 * key may have. Undefined: nothing has changed yet, so only what counts as a whole does.
 */
export function touchedDefinition(
  definitions: readonly Compiled[],
  path: string,
  changed: readonly string[] | null | undefined,
): Touched | null {
  const met = definitions.flatMap(({ pattern, keys, check }): readonly Met[] => {
    if (changed !== undefined && isAbove(path, pattern)) return [{ check, keys: null }];
    if (!matchesFolded(pattern, path)) return [];
    if (keys === null || changed === null) return [{ check, keys: null }];
    const hit = (changed ?? []).filter((key) => keys.some((one) => countsFor(one, key)));
    return hit.length === 0 ? [] : [{ check, keys: hit }];
  });
  if (met.length === 0) return null;
  const checks = [...new Set(met.map(({ check }) => check))];
  const keys = met.flatMap(({ keys: hit }) => hit ?? []);
  return met.some(({ keys: hit }) => hit === null) ? { checks } : { checks, keys: [...new Set(keys)].sort() };
}

/** Whether a change of this path can touch a definition, whatever the change. */
export const mayTouch = (definitions: readonly Compiled[], path: string): boolean =>
  touchedDefinition(definitions, path, null) !== null;

/** A file or a link in place of a directory that definitions are in, or would be. */
function isAbove(path: string, { prefix, literal }: Pattern): boolean {
  const steps = foldPath(path).split('/');
  return steps.length < prefix.length + (literal ? 0 : 1) && steps.every((step, index) => step === prefix[index]);
}

/** A key that ends in `*` stands for all that begin so. */
const countsFor = (one: string, key: string): boolean =>
  one.endsWith('*') ? key.replace(/^"/, '').startsWith(one.slice(0, -1)) : keysMeet(one, key);

/** The path of a key in a document, as TOML writes it: `scripts.test`, `tool."a.b"`. */
export const keyText = (steps: readonly string[]): string =>
  steps.map((step) => (/^[\w:@/-]+$/.test(step) ? step : JSON.stringify(step))).join('.');

/** One is the other, or holds it. */
export const keysMeet = (a: string, b: string): boolean => a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);

/** Each path once: with every key that counts, or as a whole. Sorted, so that equal lists are equal. */
export function mergeDefinitions(definitions: readonly Definition[]): readonly Definition[] {
  const merged = new Map<string, ReadonlySet<string> | null>();
  for (const { path, keys } of definitions) {
    const before = merged.get(path);
    merged.set(path, before === null || keys === undefined ? null : new Set([...(before ?? []), ...keys]));
  }
  return [...merged]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, keys]) => (keys === null ? { path } : { path, keys: [...keys].sort() }));
}
