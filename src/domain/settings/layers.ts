import { shellPath } from '../base/safe-text.ts';
import type { Finding } from '../findings/finding.ts';
import { boundedWords } from '../findings/words.ts';
import type { Place } from '../plan/plan-draft.ts';
import { type ResolvedSettings, type Setting, type Settings, settingTable } from './settings.ts';

/**
 * One source of settings. Configuration files of a repository and plans come with a clone, so whoever wrote the repository wrote them.
 * A value of theirs that the rule of its key guards counts only after the person confirmed it.
 */
export type Layer = {
  readonly name: string;
  readonly trust: 'default' | 'person' | 'repository' | 'plan';
  /** The plan file that this layer is, as commands take it. */
  readonly file?: string;
  readonly settings: Settings;
  /** Returns `file:line:column`, or the name of a variable or flag. */
  where(place: Place): string;
};

/** A value that a repository asks for and only the person may allow. It is confirmed by the hash of its canonical JSON. */
export type Loosening = { readonly key: string; readonly value: unknown };

export type Resolution = {
  readonly settings: ResolvedSettings;
  /** The source of each value by its dotted key: all sources where layers add up. */
  readonly origins: Readonly<Record<string, string>>;
  readonly loosenings: readonly (Loosening & { readonly finding: Finding })[];
};

/** Lowest layer first. A loosening that is not confirmed does not count, and is reported. */
export function resolveSettings(layers: readonly Layer[], isConfirmed: (loosening: Loosening) => boolean): Resolution {
  const root: Record<string, unknown> = {};
  const origins: Record<string, string> = {};
  const loosenings: (Loosening & { finding: Finding })[] = [];
  for (const [key, setting] of settingTable) {
    const path = key.split('.');
    const adds = setting.repository.may === 'add';
    let value = setting.default;
    let person: unknown;
    let origin = 'default';
    for (const layer of layers) {
      const set = valueAt(layer.settings, path);
      if (set === undefined) continue;
      const loosening = { key, value: set };
      if (loosens(setting, set, layer.trust, { below: value, person }) && !isConfirmed(loosening)) {
        loosenings.push({ ...loosening, finding: needsConfirmation(loosening, layer, layer.where(path)) });
        continue;
      }
      if (layer.trust === 'person') person = set;
      const source = layer.trust === 'default' ? 'default' : layer.where(path);
      origin = adds ? `${origin}, ${source}` : source;
      value = adds ? union(value, set) : set;
    }
    origins[key] = origin;
    put(root, path, value);
  }
  return { settings: root as ResolvedSettings, origins, loosenings };
}

/** Every key with its value and the source of it, in the order of the documentation. */
export function settingsTable({
  settings,
  origins,
}: Resolution): readonly { readonly key: string; readonly value: unknown; readonly origin: string }[] {
  return [...settingTable.keys()].map((key) => ({
    key,
    value: valueAt(settings, key.split('.')),
    origin: origins[key] ?? 'default',
  }));
}

/** Without a plan it confirms what the configuration asks for, and what the only plan of the repository does. */
export const confirmCommand = (plan: string | undefined): string =>
  plan === undefined ? 'tidegate config confirm' : `tidegate config confirm --plan ${shellPath(plan)}`;

function loosens(
  { repository, default: usual }: Setting,
  value: unknown,
  trust: Layer['trust'],
  { below, person }: { readonly below: unknown; readonly person: unknown },
): boolean {
  if (repository.may !== 'tighten' || trust === 'default' || trust === 'person') return false;
  const allowed = person === undefined && trust === 'repository' ? usual : person;
  return repository.loosens(value, { below, person, allowed });
}

const needsConfirmation = ({ key, value }: Loosening, { file }: Layer, where: string): Finding => ({
  rule: 'needs-confirmation',
  key,
  words: boundedWords(JSON.stringify(value), 300),
  ...(file === undefined ? {} : { file }),
  where,
});

const isMapping = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const valueAt = (settings: Settings | ResolvedSettings, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, step) => (isMapping(at) ? at[step] : undefined), settings);

/** Sets the value at a path, with the mappings that lead there. */
function put(into: Record<string, unknown>, [step = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) into[step] = value;
  else {
    const inner = into[step];
    const next = isMapping(inner) ? inner : {};
    into[step] = next;
    put(next, rest, value);
  }
}

const union = (below: unknown, value: unknown): readonly unknown[] => [
  ...new Set([below, value].flatMap((items) => (Array.isArray(items) ? items : []))),
];
