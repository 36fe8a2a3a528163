import type { TaskId } from '../base/ids.ts';
import { foldPath } from '../base/paths.ts';
import type { DiffEntry } from '../gates/evidence.ts';
import { type Check, type FrozenPlan, isRatchet } from '../plan/plan.ts';
import { grantPattern } from '../scope/claims.ts';
import { matchesFolded, type Pattern } from '../scope/pattern.ts';

/**
 * A file that decides what a check proves: once it has changed, the outcome means something else. `path` is a pattern from the top of
 * the repository and may match files that do not exist yet. `keys`: only these keys count, with `*` at the end for a prefix; absent: the
 * whole file.
 */
export type Definition = { readonly path: string; readonly keys?: readonly string[] };

/**
 * The checks whose definition a change touches. `roles`: closure roles whose program it touches; absent for none. `resolver`: set when
 * it touches the program of the resolver. `keys`: the changed keys; absent where the file counts as a whole.
 */
export type DefinitionHit = {
  readonly checks: readonly string[];
  readonly roles?: readonly TaskId[];
  readonly resolver?: true;
  readonly keys?: readonly string[];
};

/** One definition of one check or role, with its pattern compiled. */
export type CompiledDefinition = Defined & { readonly pattern: Pattern; readonly keys: readonly string[] | null };

/** The check, the closure role or the resolver that a file defines. */
type Defined = { readonly check: string } | Program;
type Program = { readonly role: TaskId } | { readonly resolver: true };

const compiled = new WeakMap<readonly DefinedPart[], readonly CompiledDefinition[]>();

/** A check, or a closure role or resolver whose program is in the repository, with what defines it. */
export type DefinedPart = Pick<Check, 'definitions'> & ({ readonly name: string } | Program);

const partsByPlan = new WeakMap<FrozenPlan, readonly DefinedPart[]>();

/** Returns the checks of a plan, and those of its closure roles and its resolver whose program is in the repository. */
export function definedParts(plan: FrozenPlan): readonly DefinedPart[] {
  const roles = plan.waves.flatMap(({ closure = [] }) =>
    closure.flatMap(({ id, definitions }) => (definitions === undefined ? [] : [{ role: id, definitions }])),
  );
  const { definitions } = plan.resolver ?? {};
  const resolver = definitions === undefined ? [] : [{ resolver: true as const, definitions }];
  const parts = partsByPlan.get(plan) ?? [...plan.checks, ...roles, ...resolver];
  partsByPlan.set(plan, parts);
  return parts;
}

/** Compiles the patterns once per plan, because its checks and roles never change. */
export function compileDefinitions(parts: readonly DefinedPart[]): readonly CompiledDefinition[] {
  const definitions =
    compiled.get(parts) ??
    parts.flatMap(({ definitions: own = [], ...part }) =>
      own.map(({ path, keys }) => ({ pattern: grantPattern(path), keys: keys ?? null, ...definedBy(part) })),
    );
  compiled.set(parts, definitions);
  return definitions;
}

const definedBy = (part: { readonly name: string } | Program): Defined =>
  'name' in part ? { check: part.name } : part;

type Hit = Defined & { readonly keys: readonly string[] | null };

/**
 * Returns the checks that a change of this path touches; null for none. `changed` holds the changed keys. Null: unknown, so any key may
 * have changed. Undefined: nothing has changed yet, so only definitions without keys count.
 */
export function touchedDefinition(
  definitions: readonly CompiledDefinition[],
  path: string,
  changed: readonly string[] | null | undefined,
): DefinitionHit | null {
  const hits = definitions.flatMap(({ pattern, keys, ...defined }): readonly Hit[] => {
    if (changed !== undefined && isAbove(path, pattern)) return [{ ...defined, keys: null }];
    if (!matchesFolded(pattern, path)) return [];
    if (keys === null || changed === null) return [{ ...defined, keys: null }];
    const hit = (changed ?? []).filter((key) => keys.some((one) => countsFor(one, key)));
    return hit.length === 0 ? [] : [{ ...defined, keys: hit }];
  });
  if (hits.length === 0) return null;
  const checks = [...new Set(hits.flatMap((hit) => ('check' in hit ? [hit.check] : [])))];
  const roles = [...new Set(hits.flatMap((hit) => ('role' in hit ? [hit.role] : [])))];
  const touched = {
    checks,
    ...(roles.length === 0 ? {} : { roles }),
    ...(hits.some((hit) => 'resolver' in hit) ? { resolver: true as const } : {}),
  };
  const keys = hits.flatMap(({ keys: hit }) => hit ?? []);
  return hits.some(({ keys: hit }) => hit === null) ? touched : { ...touched, keys: [...new Set(keys)].sort() };
}

/** Returns the checks with `ratchet` whose definition one of these changes touches, in the order of the plan. */
export function redefinedChecks(plan: FrozenPlan, changes: readonly DiffEntry[]): readonly string[] {
  const compared = plan.checks.filter(isRatchet);
  if (compared.length === 0) return [];
  const definitions = compileDefinitions(definedParts(plan));
  const touched = new Set(
    changes.flatMap(({ path, keys }) => touchedDefinition(definitions, path, keys ?? null)?.checks ?? []),
  );
  return compared.map(({ name }) => name).filter((name) => touched.has(name));
}

/** True when a change of this path can touch a definition. */
export const mayTouch = (definitions: readonly CompiledDefinition[], path: string): boolean =>
  touchedDefinition(definitions, path, null) !== null;

/** True for a file or link that would replace a directory above a definition. */
function isAbove(path: string, { prefix, literal }: Pattern): boolean {
  const steps = foldPath(path).split('/');
  return steps.length < prefix.length + (literal ? 0 : 1) && steps.every((step, index) => step === prefix[index]);
}

/** A key that ends in `*` matches a prefix. */
const countsFor = (one: string, key: string): boolean =>
  one.endsWith('*') ? key.replace(/^"/, '').startsWith(one.slice(0, -1)) : keysMeet(one, key);

/** Writes the path of a key as TOML does: `scripts.test`, `tool."a.b"`. */
export const keyText = (steps: readonly string[]): string =>
  steps.map((step) => (/^[\w:@/-]+$/.test(step) ? step : JSON.stringify(step))).join('.');

/** True when the keys are equal or one contains the other. */
const keysMeet = (a: string, b: string): boolean => a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);

/** Lists each path once, with all its keys or as a whole. Sorted, so that the same definitions give the same list. */
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

/** With more changed keys, whole tables are named instead of the keys in them. */
const mostKeys = 60;

/** Returns the innermost keys at which two documents differ; null when there are too many. A missing table counts as an empty one. */
export function changedKeys(before: unknown, after: unknown): readonly string[] | null {
  const paths = differences(before, after);
  for (let depth = Math.max(0, ...paths.map((path) => path.length)); depth > 0; depth--) {
    const keys = new Set(paths.map((path) => keyText(path.slice(0, depth))));
    if (keys.size <= mostKeys) return [...keys].sort();
  }
  return paths.length === 0 ? [] : null;
}

function differences(before: unknown, after: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  const [one, other] = [tableOf(before), tableOf(after)];
  if (one === null || other === null) return isSame(before, after) ? [] : [at];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => differences(own(one, name), own(other, name), [...at, name]));
}

/** Returns the document `after` with each of these keys as in `before`. */
export function withKeysOf(
  before: unknown,
  after: unknown,
  keys: readonly string[],
  at: readonly string[] = [],
): Table {
  const [one, other] = [tableOf(before) ?? {}, tableOf(after) ?? {}];
  const document: Table = Object.create(null);
  for (const name of new Set([...Object.keys(other), ...Object.keys(one)])) {
    const path = [...at, name];
    const key = keyText(path);
    const value = keys.some((one) => one === key || key.startsWith(`${one}.`))
      ? own(one, name)
      : keys.some((one) => keysMeet(one, key))
        ? withKeysOf(own(one, name), own(other, name), keys, path)
        : own(other, name);
    if (value !== undefined) document[name] = value;
  }
  return document;
}

type Table = Record<string, unknown>;

function tableOf(value: unknown): Table | null {
  if (value === undefined) return {};
  const isTable = typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
  return isTable ? (value as Table) : null;
}

const own = (table: Table, name: string): unknown => (Object.hasOwn(table, name) ? table[name] : undefined);

/** Compares lists as a whole, with their order. */
function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  const [one, other] = [tableOf(a), tableOf(b)];
  if (a !== undefined && b !== undefined && one !== null && other !== null)
    return differences(one, other).length === 0 && Object.keys(one).length === Object.keys(other).length;
  return Object.is(a, b) || (a instanceof Date && b instanceof Date && a.toString() === b.toString());
}
