import { sizeBytes } from './disk.ts';
import { listCovers } from './network-hosts.ts';
import { canonicalJson, type Network } from './plan.ts';
import type { Place } from './plan-draft.ts';
import { defaultSettings, type ResolvedSettings, type Settings } from './settings.ts';
import type { Finding } from './verdict.ts';

/**
 * One source of settings. `repository` sources come with a clone, so whoever wrote the repository wrote them:
 * they may tighten the person's fence and approval, and loosen them only when the person confirmed it.
 */
export type Layer = {
  readonly name: string;
  readonly trust: 'default' | 'person' | 'repository';
  readonly settings: Settings;
  /** `file:line:column`, or the name of a variable or flag. */
  where(place: Place): string;
};

/** Something a repository asks for that only the person may grant. Confirmed by the hash of its canonical JSON. */
export type Loosening = { readonly key: string; readonly value: unknown };

export type Resolution = {
  readonly settings: ResolvedSettings;
  /** Dotted key -> where its value comes from. Of keys whose layers add up, every source. */
  readonly origins: Readonly<Record<string, string>>;
  readonly loosenings: readonly (Loosening & { readonly finding: Finding })[];
};

/** Lowest layer first. What is loosened without confirmation does not count, and is reported. */
export function resolveSettings(layers: readonly Layer[], isConfirmed: (loosening: Loosening) => boolean): Resolution {
  const values = new Map<string, unknown>();
  const persons = new Map<string, unknown>();
  const origins: Record<string, string> = {};
  const loosenings: (Loosening & { finding: Finding })[] = [];
  for (const layer of [defaults, ...layers]) {
    for (const [key, value] of flatten(layer.settings)) {
      const place = key.split('.');
      if (layer.trust === 'repository' && loosens(key, value, values, persons)) {
        const loosening = { key, value };
        if (!isConfirmed(loosening)) {
          loosenings.push({ ...loosening, finding: needsConfirmation(loosening, layer.where(place)) });
          continue;
        }
      }
      const added = cumulative.has(key);
      values.set(key, added ? union(values.get(key), value) : value);
      if (layer.trust === 'person') persons.set(key, value);
      const source = layer.trust === 'default' ? 'default' : layer.where(place);
      origins[key] = added && origins[key] ? `${origins[key]}, ${source}` : source;
    }
  }
  return { settings: unflatten(values), origins, loosenings };
}

/** Every key with its value and where that comes from, in the order of the documentation. */
export function settingsTable({
  settings,
  origins,
}: Resolution): readonly { readonly key: string; readonly value: unknown; readonly origin: string }[] {
  return flatten(settings as Settings).map(([key, value]) => ({ key, value, origin: origins[key] ?? 'default' }));
}

/** Their entries are named by whoever writes them. */
const tables = new Set(['generated', 'limits.agents']);

const defaults: Layer = { name: 'default', trust: 'default', settings: defaultSettings, where: () => 'default' };

/** Every key that can be set, dotted. */
export const settingKeys: readonly string[] = ['base', ...flatten(defaultSettings).map(([key]) => key)];

/** Restrictions: a higher layer adds to them and never takes one away. */
const cumulative = new Set(['protect', 'forbid', 'block']);

/**
 * The fence is judged against whatever holds below; approval only against what the person said,
 * because a plan that is itself approved may choose among the defaults.
 */
function loosens(
  key: string,
  value: unknown,
  below: ReadonlyMap<string, unknown>,
  persons: ReadonlyMap<string, unknown>,
): boolean {
  switch (key) {
    case 'fence.mode':
      return value === 'none' && below.get(key) !== 'none';
    case 'fence.read':
    case 'fence.write':
    case 'fence.env':
      return !within(value as readonly string[], below.get(key) as readonly string[]);
    case 'fence.network':
      return widens(value as Network | null, below.get(key) as Network | null);
    case 'land':
      return persons.has(key) && landFreedom(value) > landFreedom(persons.get(key));
    case 'disk.cap':
      return sizeBytes(value as string) > sizeBytes(below.get(key) as string);
    case 'disk.free':
      return sizeBytes(value as string) < sizeBytes(below.get(key) as string);
    case 'taps.start':
      return persons.get(key) === 'wave' && value === 'run';
    case 'breaker':
      return persons.get(key) === 'strict' && value === 'normal';
    default:
      return false;
  }
}

const within = (inner: readonly string[], outer: readonly string[]): boolean =>
  inner.every((item) => outer.includes(item));

/** null leaves `command` and checks without network and gives it to the rest, so only `off` is surely narrower. */
function widens(value: Network | null, below: Network | null): boolean {
  if (value === 'off' || below === 'on' || canonicalJson(value) === canonicalJson(below)) return false;
  return !(Array.isArray(value) && Array.isArray(below) && listCovers(below, value));
}

/** How far a run goes without asking. */
const landFreedom = (value: unknown): number => ['branch', 'pr', 'ask', 'auto', 'wave'].indexOf(String(value));

const needsConfirmation = ({ key, value }: Loosening, where: string): Finding => ({
  rule: 'needs-confirmation',
  detail: `the repository asks for \`${key}: ${JSON.stringify(value)}\`, which is wider than what you set`,
  where,
  fix: 'look at it, then `tidegate config confirm`; or remove it',
});

/** Leaves under dotted keys. Lists and tables are leaves. */
function flatten(settings: Settings): readonly (readonly [string, unknown])[] {
  return Object.entries(settings).flatMap(([key, value]) => leaves(key, value));
  function leaves(key: string, value: unknown): readonly (readonly [string, unknown])[] {
    if (value === undefined) return [];
    if (tables.has(key)) return [[key, value]];
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return [[key, value]];
    return Object.entries(value).flatMap(([inner, field]) => leaves(`${key}.${inner}`, field));
  }
}

function unflatten(values: ReadonlyMap<string, unknown>): ResolvedSettings {
  const root: Record<string, unknown> = { base: null };
  for (const [key, value] of values) put(root, key.split('.'), value);
  return root as ResolvedSettings;
}

function put(into: Record<string, unknown>, [step, ...rest]: readonly string[], value: unknown): void {
  if (step === undefined) return;
  if (rest.length === 0) {
    into[step] = value;
    return;
  }
  into[step] ??= {};
  put(into[step] as Record<string, unknown>, rest, value);
}

const union = (below: unknown, value: unknown): readonly string[] => [
  ...new Set([...((below as readonly string[] | undefined) ?? []), ...(value as readonly string[])]),
];
