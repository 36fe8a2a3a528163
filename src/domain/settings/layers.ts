import type { Finding } from '../findings/finding.ts';
import { boundedWords } from '../findings/words.ts';
import type { Place } from '../plan/plan-draft.ts';
import { defaultSettings, type ResolvedSettings, type Settings } from './settings.ts';
import { repositoryMay, type SettingKey } from './trust.ts';

/**
 * One source of settings. `repository` sources and plans come with a clone, so whoever wrote the repository wrote them:
 * they loosen what `repositoryMay` guards only when the person confirmed it.
 */
export type Layer = {
  readonly name: string;
  readonly trust: 'default' | 'person' | 'repository' | 'plan';
  /** The file of the plan that this layer is, as commands take it. */
  readonly file?: string;
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
      if (isForeign(layer) && loosens(key, value, layer, { values, persons })) {
        const loosening = { key, value };
        if (!isConfirmed(loosening)) {
          loosenings.push({ ...loosening, finding: needsConfirmation(loosening, layer, layer.where(place)) });
          continue;
        }
      }
      const added = decisionOf(key).may === 'add';
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

/** Their entries are named by whoever writes them, or mean something only together. */
const tables = new Set(['generated', 'limits.agents', 'notify', 'registry', 'setup']);

const defaults: Layer = { name: 'default', trust: 'default', settings: defaultSettings, where: () => 'default' };

/** Every key that can be set, dotted. */
export const settingKeys: readonly string[] = ['base', ...flatten(defaultSettings).map(([key]) => key)];

const defaultValues: ReadonlyMap<string, unknown> = new Map(flatten(defaultSettings));

const isForeign = ({ trust }: Layer): boolean => trust === 'repository' || trust === 'plan';

function loosens(
  key: string,
  value: unknown,
  { trust }: Layer,
  known: { readonly values: ReadonlyMap<string, unknown>; readonly persons: ReadonlyMap<string, unknown> },
): boolean {
  const decision = decisionOf(key);
  const said = known.persons.get(key);
  const allowed = said === undefined && trust !== 'plan' ? defaultValues.get(key) : said;
  return decision.may === 'tighten' && decision.loosens(value, { below: known.values.get(key), said, allowed });
}

const decisionOf = (key: string) => repositoryMay[key as SettingKey];

const needsConfirmation = ({ key, value }: Loosening, { file }: Layer, where: string): Finding => ({
  rule: 'needs-confirmation',
  key,
  words: boundedWords(JSON.stringify(value), 300),
  ...(file === undefined ? {} : { file }),
  where,
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
