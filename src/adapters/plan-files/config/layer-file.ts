import { lintSettings } from '../../../domain/settings/lint.ts';
import type { Settings } from '../../../domain/settings/settings.ts';
import { settingsOf } from '../../../domain/settings/written-settings.ts';
import { insideRepository } from '../repository-path.ts';
import { type ConfigDocument, configSchema, type UserConfigDocument, userConfigSchema } from '../schema.ts';
import { readSource } from '../source-text.ts';
import { fitSchema } from '../structure.ts';
import { readYaml } from '../yaml-document.ts';
import type { LayerPart } from './index.ts';

/** One configuration file. A file of the repository must lie in it, also when it is a link. */
export async function readLayerFile(file: {
  readonly path: string;
  readonly shown: string;
  readonly trust: 'person' | 'repository';
  readonly root: string | null;
}): Promise<LayerPart> {
  const { path, shown, trust, root } = file;
  if (root !== null && (await insideRepository(root, root, shown)) === null)
    return {
      layer: null,
      findings: [{ rule: 'leaves-repository', path: shown, where: shown }],
    };
  const source = await readSource(path, shown);
  if (!source.ok) return { layer: null, findings: source.finding.rule === 'file-missing' ? [] : [source.finding] };
  const { document, findings } = readYaml(source.text, shown);
  if (document === null) return { layer: null, findings };
  const value = document.value ?? {};
  const { data, problems, damaged } =
    trust === 'person'
      ? fitSchema<UserConfigDocument>(userConfigSchema, value)
      : fitSchema<ConfigDocument>(configSchema, value);
  const { agents, settings: sound } = apart(data ?? {});
  // half of it would be another wish: a webhook without its signature
  const { notify, ...others } = sound;
  const settings = damaged.some(([key]) => key === 'notify') ? others : sound;
  return {
    layer: { name: shown, trust, settings, where: (place) => document.where(place) },
    findings: [...findings, ...[...problems, ...lintSettings(settings)].map(document.finding)],
    agents,
  };
}

/** Whether agents may decide is no setting of a run: it belongs to whoever calls. */
function apart(document: UserConfigDocument): { readonly agents: 'refuse' | 'allow'; readonly settings: Settings } {
  const { agents = 'refuse', ...taps } = document.taps ?? {};
  const settings = settingsOf(document);
  return { agents, settings: document.taps === undefined ? settings : { ...settings, taps } };
}
