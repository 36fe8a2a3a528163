import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ownershipConflicts } from '../../domain/scope/ownership.ts';
import { defaultSettings, settingKeys } from '../../domain/settings/settings.ts';
import { loadPlan } from './index.ts';
import { frontMatterSchema, planSchema } from './schema.ts';

const reference = await readFile(new URL('../../../docs/plan.md', import.meta.url), 'utf8');
const examples = [...reference.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
const [settingsPart = '', fromTasks = ''] = reference.split('\n## Tasks\n');
const [tasksPart = ''] = fromTasks.split('\n## ');
/** First and second cells of a table. */
const rowsOf = (part: string) =>
  new Map([...part.matchAll(/^\| `([\w.]+)` \| (.*?) \|/gm)].map((match) => [match[1] ?? '', match[2] ?? '']));

test('the example plans of the reference are sound', async () => {
  expect(examples).toHaveLength(4);
  const root = await mkdtemp(join(tmpdir(), 'tidegate-reference-'));
  await using _ = { [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
  await mkdir(join(root, 'directives'));
  await writeFile(
    join(root, 'directives/map-api.md'),
    '# Map the API\n\n## Acceptance\n\n- every route of src/api is listed\n',
  );
  for (const example of examples) {
    await writeFile(join(root, 'plan.yaml'), example);
    const loaded = await loadPlan({ root, planFile: 'plan.yaml', currentBranch: 'main' });
    expect(loaded).toMatchObject({ ok: true, warnings: [] });
    if (loaded.ok)
      expect(loaded.plan.waves.flatMap((__, wave) => ownershipConflicts(loaded.plan, wave, []))).toEqual([]);
  }
});

test('the reference has every key, and the defaults that the code has', () => {
  const [settings, tasks] = [rowsOf(settingsPart), rowsOf(tasksPart)];
  const written = (key: string): unknown => parse(settings.get(key)?.replaceAll('`', '') ?? 'missing');
  const coded = (key: string): unknown =>
    key.split('.').reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], defaultSettings);
  expect([...settings.keys()]).toEqual(settingKeys);
  for (const key of settingKeys.filter((name) => name !== 'base'))
    expect([key, written(key)]).toEqual([key, coded(key)]);
  expect([...tasks.keys()].sort()).toEqual([...Object.keys(frontMatterSchema.shape), 'do'].sort());
  for (const key of Object.keys(planSchema.shape)) expect(reference).toContain(`${key}`);
});
