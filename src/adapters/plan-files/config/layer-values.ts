import { parseDocument } from 'yaml';
import { nearestWord } from '../../../domain/base/nearest-word.ts';
import type { Finding } from '../../../domain/findings/finding.ts';
import { type Place, placed } from '../../../domain/plan/plan-draft.ts';
import { lintSettings } from '../../../domain/settings/lint.ts';
import { type Settings, settingKeys } from '../../../domain/settings/settings.ts';
import { settingsOf } from '../../../domain/settings/written-settings.ts';
import { problemsOf } from '../issues.ts';
import { configSchema } from '../schema.ts';
import type { LayerPart } from './index.ts';

/** `limits.parallel` is `TIDEGATE_LIMITS_PARALLEL`. Other variables that begin so have other uses and are left alone. */
export function environmentLayer(environment: Readonly<Record<string, string | undefined>>): LayerPart {
  const given = [...settingKeys, 'fence'].flatMap((key): Given[] => {
    const name = variableOf(key);
    const text = environment[name];
    return text === undefined || text === '' ? [] : [{ key, name, candidates: [yamlValue(text), text] }];
  });
  return layerOf('environment', given, []);
}

const variableOf = (key: string): string => `TIDEGATE_${key.replaceAll('.', '_').toUpperCase()}`;

export function flagLayer(flags: Readonly<Record<string, unknown>>): LayerPart {
  const known = [...settingKeys, 'fence'];
  const unknown = Object.keys(flags).filter((key) => !known.includes(key));
  const given = Object.entries(flags).filter(([key, value]) => known.includes(key) && value !== undefined);
  return layerOf(
    'flags',
    given.map(([key, value]) => ({ key, name: `--${key}`, candidates: [value] })),
    unknown.map((key) => ({
      rule: 'unknown-key',
      key,
      meant: nearestWord(key, known),
      among: 'flags',
      where: `--${key}`,
    })),
  );
}

/** `candidates`: readings of the value, the first that fits is meant. */
type Given = { readonly key: string; readonly name: string; readonly candidates: readonly unknown[] };

function layerOf(name: string, given: readonly Given[], others: readonly Finding[]): LayerPart {
  const findings = [...others];
  const names = new Map<string, string>();
  let settings: Settings = {};
  for (const { key, name: source, candidates } of given) {
    const documents = candidates.map((value) => nested(key.split('.'), value));
    const readings = documents.map((document) => configSchema.safeParse(document));
    const fitting = readings.find((reading) => reading.success);
    if (!fitting) {
      const issues = readings[0]?.error?.issues ?? [];
      findings.push(...problemsOf(issues, documents[0], null).map((problem) => placed(problem, source)));
      continue;
    }
    names.set(key, source);
    const read = settingsOf(fitting.data);
    findings.push(...lintSettings(read).map((problem) => placed(problem, source)));
    settings = merge(settings, read) as Settings;
  }
  const where = (place: Place) => names.get(place.join('.')) ?? names.get(String(place[0])) ?? name;
  return { layer: { name, trust: 'person', settings, where }, findings };
}

/** Lists and mappings in flow style, numbers, true and false; what is none of these is taken as text. */
function yamlValue(text: string): unknown {
  const document = parseDocument(text, { stringKeys: true, logLevel: 'silent' });
  if (document.errors.length > 0 || document.warnings.length > 0 || /[*&]/.test(text)) return text;
  return document.toJS();
}

const nested = ([step, ...rest]: readonly string[], value: unknown): unknown =>
  step === undefined ? value : { [step]: nested(rest, value) };

function merge(below: unknown, above: unknown): unknown {
  if (!isPlain(below) || !isPlain(above)) return above;
  return Object.fromEntries(
    [...new Set([...Object.keys(below), ...Object.keys(above)])].map((key) => [
      key,
      key in above ? merge(below[key], above[key]) : below[key],
    ]),
  );
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
