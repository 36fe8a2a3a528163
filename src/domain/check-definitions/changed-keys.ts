import { keysMeet, keyText } from './definition.ts';

/** More than anybody reads: then whole tables are named instead of what is in them. */
const most = 60;

/** The keys at which two documents differ, the innermost that tell it; null when they are too many. A missing table is like an empty one. */
export function changedKeys(before: unknown, after: unknown): readonly string[] | null {
  const paths = differences(before, after);
  for (let depth = Math.max(0, ...paths.map((path) => path.length)); depth > 0; depth--) {
    const keys = new Set(paths.map((path) => keyText(path.slice(0, depth))));
    if (keys.size <= most) return [...keys].sort();
  }
  return paths.length === 0 ? [] : null;
}

function differences(before: unknown, after: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  const [one, other] = [tableOf(before), tableOf(after)];
  if (one === null || other === null) return isSame(before, after) ? [] : [at];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => differences(own(one, name), own(other, name), [...at, name]));
}

/** The document `after`, with each of these keys as `before` has it. */
export function withKeysOf(
  before: unknown,
  after: unknown,
  keys: readonly string[],
  at: readonly string[] = [],
): Table {
  const [one, other] = [tableOf(before) ?? {}, tableOf(after) ?? {}];
  const made: Table = Object.create(null);
  for (const name of new Set([...Object.keys(other), ...Object.keys(one)])) {
    const path = [...at, name];
    const key = keyText(path);
    const value = keys.some((one) => one === key || key.startsWith(`${one}.`))
      ? own(one, name)
      : keys.some((one) => keysMeet(one, key))
        ? withKeysOf(own(one, name), own(other, name), keys, path)
        : own(other, name);
    if (value !== undefined) made[name] = value;
  }
  return made;
}

type Table = Record<string, unknown>;

function tableOf(value: unknown): Table | null {
  if (value === undefined) return {};
  const isTable = typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
  return isTable ? (value as Table) : null;
}

const own = (table: Table, name: string): unknown => (Object.hasOwn(table, name) ? table[name] : undefined);

/** Lists count as a whole, in their order. */
function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  const [one, other] = [tableOf(a), tableOf(b)];
  if (a !== undefined && b !== undefined && one !== null && other !== null)
    return differences(one, other).length === 0 && Object.keys(one).length === Object.keys(other).length;
  return Object.is(a, b) || (a instanceof Date && b instanceof Date && a.toString() === b.toString());
}
