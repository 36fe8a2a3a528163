import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { nearestWord } from '../../domain/base/nearest-word.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { canonicalJson } from '../../domain/plan/plan.ts';
import { type Place, placed } from '../../domain/plan/plan-draft.ts';
import { type Layer, type Loosening, type Resolution, resolveSettings } from '../../domain/settings/layers.ts';
import { lintSettings } from '../../domain/settings/lint.ts';
import { defaultSettings, type Settings, settingKeys } from '../../domain/settings/settings.ts';
import { settingsOf } from '../../domain/settings/written-settings.ts';
import { writeDurably } from '../files/durable-file.ts';
import { readCache } from '../files/state-file.ts';
import { fitSchema, problemsOf } from './fit-schema.ts';
import { configSchema, type UserConfigDocument, userConfigSchema } from './schema.ts';
import { insideRepository, readSource, readYaml } from './source-file.ts';

/** The layers around a plan, and what the person confirmed for this repository. */
export type PlanConfig = {
  /** User configuration, `tidegate.yaml`, `tidegate.local.yaml`. */
  readonly below: readonly Layer[];
  /** Environment and flags. */
  readonly above: readonly Layer[];
  /** Hashes of loosenings; see `looseningHash`. */
  readonly confirmed: readonly string[];
  /** Mistakes in those layers. No plan is sound on top of them. */
  readonly findings: readonly Finding[];
};

type LoadedConfig = {
  /** Layers for `loadPlan`, which puts the plan between them. It has the sound parts only. */
  readonly config: PlanConfig;
  /** The settings without a plan: `tidegate config --origin` prints them. */
  readonly resolution: Resolution;
  /** All mistakes, and the loosenings that are not confirmed. */
  readonly findings: readonly Finding[];
  /** The values that `tidegate config confirm` would let count, with the hashes to keep. */
  readonly unconfirmed: readonly (Loosening & { readonly hash: string })[];
};

type Environment = Readonly<Record<string, string | undefined>>;

/** user < tidegate.yaml < tidegate.local.yaml < (plan) < TIDEGATE_* < flags. A file that does not exist sets nothing. */
export async function loadConfig(request: {
  readonly root: string;
  readonly userFile: string | null;
  readonly environment: Environment;
  /** Values from the command line, by dotted key. */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** Hashes that the person confirmed for this repository. */
  readonly confirmed?: readonly string[];
  /** True when the program of an agent is on this machine. Agents of the default chain without one are left out. */
  readonly isInstalled?: (agent: string) => boolean;
}): Promise<LoadedConfig> {
  const { root, userFile, environment, flags = {}, confirmed = [], isInstalled = () => true } = request;
  const files = await Promise.all([
    userFile === null ? empty : readLayerFile({ path: userFile, shown: userFile, trust: 'person', root: null }),
    ...['tidegate.yaml', 'tidegate.local.yaml'].map((name) =>
      readLayerFile({ path: join(root, name), shown: name, trust: 'repository', root }),
    ),
  ]);
  const values = [environmentLayer(environment), flagLayer(flags)];
  const below = [...machineLayer(isInstalled), ...files.flatMap((file) => file.layer ?? [])];
  const above = values.flatMap((value) => value.layer ?? []);
  const resolution = resolveSettings([...below, ...above], (one) => confirmed.includes(looseningHash(one)));
  const findings = [
    ...[...files, ...values].flatMap((part) => part.findings),
    ...resolution.loosenings.map((loosening) => loosening.finding),
  ];
  return {
    config: { below, above, confirmed, findings },
    resolution,
    findings,
    unconfirmed: unconfirmedOf(resolution),
  };
}

/** `$XDG_CONFIG_HOME/tidegate/config.yaml`. A relative value of the variable is ignored, as its specification says. */
export function userConfigFile(environment: Environment, home: string): string {
  const base = environment['XDG_CONFIG_HOME'];
  return join(base?.startsWith('/') ? base : join(home, '.config'), 'tidegate', 'config.yaml');
}

/** True when the person lets other agents decide in their name. A file with a mistake in it allows nothing. */
export async function letsAgentsDecide(userFile: string): Promise<boolean> {
  const file = await readLayerFile({ path: userFile, shown: userFile, trust: 'person', root: null });
  return file.agents === 'allow' && file.findings.length === 0;
}

type LayerPart = {
  readonly layer: Layer | null;
  readonly findings: readonly Finding[];
  /** `taps.agents`. Only a person's own file has it, and it is no setting of a run. */
  readonly agents?: 'refuse' | 'allow';
};
const empty: LayerPart = { layer: null, findings: [] };

/** The default stays as it is where no agent is installed: starting a run then says what to install. */
function machineLayer(isInstalled: (agent: string) => boolean): readonly Layer[] {
  const agent = defaultSettings.agent.filter(isInstalled);
  return agent.length === 0 ? [] : [{ name: 'default', trust: 'default', settings: { agent }, where: () => 'default' }];
}

/** One configuration file. A file of the repository must lie in it, also when it is a link. */
async function readLayerFile(file: {
  readonly path: string;
  readonly shown: string;
  readonly trust: 'person' | 'repository';
  readonly root: string | null;
}): Promise<LayerPart> {
  const { path, shown, trust, root } = file;
  if (root !== null && (await insideRepository(root, root, shown)) === null)
    return { layer: null, findings: [{ rule: 'leaves-repository', path: shown, where: shown }] };
  const source = await readSource(path, shown);
  if (!source.ok) return { layer: null, findings: source.finding.rule === 'file-missing' ? [] : [source.finding] };
  const { document, findings } = readYaml(source.text, shown);
  if (document === null) return { layer: null, findings };
  const schema = trust === 'person' ? userConfigSchema : configSchema;
  const { data, problems, damaged } = fitSchema<UserConfigDocument>(schema, document.value ?? {});
  const { taps: written, ...others } = data ?? {};
  const { agents = 'refuse', ...taps } = written ?? {};
  const sound = settingsOf({ ...others, ...(written === undefined ? {} : { taps }) });
  // half of `notify` would be another setting: a webhook without its signature
  const { notify: _, ...withoutNotify } = sound;
  const settings = damaged.some(([key]) => key === 'notify') ? withoutNotify : sound;
  return {
    layer: { name: shown, trust, settings, where: (place) => document.where(place) },
    findings: [...findings, ...[...problems, ...lintSettings(settings)].map(document.finding)],
    agents,
  };
}

/** Keys that a variable or a flag can set: `fence` alone sets `fence.mode`. */
const valueKeys = [...settingKeys, 'fence'];

/** `limits.parallel` is `TIDEGATE_LIMITS_PARALLEL`. Other variables that begin so have other uses and are left alone. */
function environmentLayer(environment: Environment): LayerPart {
  const values = valueKeys.flatMap((key): NamedValue[] => {
    const name = `TIDEGATE_${key.replaceAll('.', '_').toUpperCase()}`;
    const text = environment[name];
    return text === undefined || text === '' ? [] : [{ key, name, candidates: [yamlValue(text), text] }];
  });
  return layerOf('environment', values, []);
}

function flagLayer(flags: Readonly<Record<string, unknown>>): LayerPart {
  const values = Object.entries(flags).flatMap(([key, value]): NamedValue[] =>
    valueKeys.includes(key) && value !== undefined ? [{ key, name: `--${key}`, candidates: [value] }] : [],
  );
  const unknown = Object.keys(flags)
    .filter((key) => !valueKeys.includes(key))
    .map((key): Finding => {
      const meant = nearestWord(key, valueKeys);
      return { rule: 'unknown-key', key, meant, among: 'flags', where: `--${key}` };
    });
  return layerOf('flags', values, unknown);
}

/** `candidates`: readings of the value, of which the first that fits counts. */
type NamedValue = { readonly key: string; readonly name: string; readonly candidates: readonly unknown[] };

function layerOf(name: string, values: readonly NamedValue[], mistakes: readonly Finding[]): LayerPart {
  const findings = [...mistakes];
  const sources = new Map<string, string>();
  let settings: Settings = {};
  for (const { key, name: source, candidates } of values) {
    const documents = candidates.map((value) => nested(key.split('.'), value));
    const readings = documents.map((document) => configSchema.safeParse(document));
    const fitting = readings.find((reading) => reading.success);
    if (!fitting) {
      const issues = readings[0]?.error?.issues ?? [];
      findings.push(...problemsOf(issues, documents[0], null).map((problem) => placed(problem, source)));
      continue;
    }
    sources.set(key, source);
    const read = settingsOf(fitting.data);
    findings.push(...lintSettings(read).map((problem) => placed(problem, source)));
    settings = merge(settings, read) as Settings;
  }
  const where = (place: Place) => sources.get(place.join('.')) ?? sources.get(String(place[0])) ?? name;
  return { layer: { name, trust: 'person', settings, where }, findings };
}

/** Lists and mappings in flow style, numbers, true and false. Anything else is text. */
function yamlValue(text: string): unknown {
  const document = parseDocument(text, { stringKeys: true, logLevel: 'silent' });
  if (document.errors.length > 0 || document.warnings.length > 0 || /[*&]/.test(text)) return text;
  return document.toJS();
}

const nested = ([step, ...rest]: readonly string[], value: unknown): unknown =>
  step === undefined ? value : { [step]: nested(rest, value) };

function merge(below: unknown, above: unknown): unknown {
  if (!isPlain(below) || !isPlain(above)) return above;
  const merged = Object.entries(above).map(([key, value]) => [key, key in below ? merge(below[key], value) : value]);
  return { ...below, ...Object.fromEntries(merged) };
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the hashes of the loosenings that a person confirmed for this repository. They lie in the state directory, out of reach of
 * the repository and of agents. Each holds for exactly one key and value.
 */
export async function readConfirmations(stateDirectory: string): Promise<readonly string[]> {
  // A damaged file confirms nothing: asking again is harmless, guessing is not.
  const parsed = readCache<unknown>(join(stateDirectory, fileName), JSON.parse);
  return Array.isArray(parsed) ? parsed.filter((hash): hash is string => typeof hash === 'string') : [];
}

/** Adds to earlier confirmations. The directory exists. */
export async function addConfirmations(stateDirectory: string, hashes: readonly string[]): Promise<void> {
  const all = new Set([...(await readConfirmations(stateDirectory)), ...hashes]);
  writeDurably(join(stateDirectory, fileName), `${JSON.stringify([...all].sort())}\n`);
}

const fileName = 'confirmed.json';

export const looseningHash = ({ key, value }: Loosening): string =>
  createHash('sha256').update(canonicalJson({ key, value })).digest('hex');

export const unconfirmedOf = (resolution: Resolution): readonly (Loosening & { readonly hash: string })[] =>
  resolution.loosenings.map(({ key, value }) => ({ key, value, hash: looseningHash({ key, value }) }));
