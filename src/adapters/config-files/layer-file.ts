import { lintSettings } from '../../domain/settings-lint.ts';
import { settingsOf } from '../plan-files/draft.ts';
import { insideRepository } from '../plan-files/repository-path.ts';
import { type ConfigDocument, configSchema } from '../plan-files/schema.ts';
import { readSource } from '../plan-files/source-text.ts';
import { fitSchema } from '../plan-files/structure.ts';
import { readYaml } from '../plan-files/yaml-document.ts';
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
      findings: [{ rule: 'leaves-repository', detail: `${shown} leads out of the repository`, where: shown }],
    };
  const source = await readSource(path, shown);
  if (!source.ok) return { layer: null, findings: source.missing ? [] : [source.finding] };
  const { document, findings } = readYaml(source.text, shown);
  if (document === null) return { layer: null, findings };
  const { data, problems } = fitSchema<ConfigDocument>(configSchema, document.value ?? {});
  const settings = data === null ? {} : settingsOf(data);
  return {
    layer: { name: shown, trust, settings, where: (place) => document.where(place) },
    findings: [...findings, ...[...problems, ...lintSettings(settings)].map(document.finding)],
  };
}
