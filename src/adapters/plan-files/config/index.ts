import { join } from 'node:path';
import type { Finding } from '../../../domain/findings/finding.ts';
import type { Layer, Loosening, Resolution } from '../../../domain/settings/layers.ts';
import { resolveSettings } from '../../../domain/settings/layers.ts';
import { defaultSettings } from '../../../domain/settings/settings.ts';
import { looseningHash, unconfirmedOf } from '../confirmation.ts';
import type { PlanConfig } from '../index.ts';
import { readLayerFile } from './layer-file.ts';
import { environmentLayer, flagLayer } from './layer-values.ts';

type LoadedConfig = {
  /** Layers for `loadPlan`, which puts the plan between them. Sound parts only; `findings` say what is wrong. */
  readonly config: PlanConfig;
  /** The settings without a plan: what `tidegate config --origin` prints. */
  readonly resolution: Resolution;
  /** Everything that is wrong, unconfirmed loosenings included. */
  readonly findings: readonly Finding[];
  /** What `tidegate config confirm` would let count, with the hashes to keep. */
  readonly unconfirmed: readonly (Loosening & { readonly hash: string })[];
};

/** `$XDG_CONFIG_HOME/tidegate/config.yaml`. A relative value of the variable is ignored, as its specification says. */
export function userConfigFile(environment: Readonly<Record<string, string | undefined>>, home: string): string {
  const base = environment['XDG_CONFIG_HOME'];
  return join(base?.startsWith('/') ? base : join(home, '.config'), 'tidegate', 'config.yaml');
}

/** user < tidegate.yaml < tidegate.local.yaml < (plan) < TIDEGATE_* < flags. Files that are not there say nothing. */
export async function loadConfig(request: {
  readonly root: string;
  readonly userFile: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Dotted key -> value, as given on the command line. */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** Hashes that the person confirmed for this repository. */
  readonly confirmed?: readonly string[];
  /** Whether an agent's program is on this machine; agents of the default chain that are not are left out of it. */
  readonly isInstalled?: (agent: string) => boolean;
}): Promise<LoadedConfig> {
  const { root, userFile, environment, flags = {}, confirmed = [], isInstalled = () => true } = request;
  const files = await Promise.all([
    userFile === null ? nothing : readLayerFile({ path: userFile, shown: userFile, trust: 'person', root: null }),
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

/** Where none is installed the default stays as it is: whoever starts a run is told what to install. */
function machineLayer(isInstalled: (agent: string) => boolean): readonly Layer[] {
  const agent = defaultSettings.agent.filter(isInstalled);
  return agent.length === 0 ? [] : [{ name: 'default', trust: 'default', settings: { agent }, where: () => 'default' }];
}

/** Whether the person lets other agents decide in their name. A file with a mistake in it allows nothing. */
export async function letsAgentsDecide(userFile: string): Promise<boolean> {
  const file = await readLayerFile({ path: userFile, shown: userFile, trust: 'person', root: null });
  return file.agents === 'allow' && file.findings.length === 0;
}

export type LayerPart = {
  readonly layer: Layer | null;
  readonly findings: readonly Finding[];
  /** Only a person's own file may say it. */
  readonly agents?: 'refuse' | 'allow';
};
const nothing: LayerPart = { layer: null, findings: [] };
