import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { published } from '../scripts/reference/published.ts';
import { references } from '../scripts/reference/references.ts';
import { unionMembers } from '../scripts/reference/union-members.ts';

test('docs/reference is what the code says: npm run reference', async () => {
  const pages = await references();
  expect(readdirSync('docs/reference').sort()).toEqual(Object.keys(pages).sort());
  for (const [name, text] of Object.entries(pages)) expect(readFileSync(`docs/reference/${name}`, 'utf8')).toBe(text);
});

test('the schemas of the API are what the code says: npm run reference', () => {
  for (const [name, schema] of Object.entries(published()))
    expect(JSON.parse(readFileSync(`schemas/${name}`, 'utf8'))).toEqual(schema);
});

test('every document of the API is a schema on its own', () => {
  const { $id, $defs } = JSON.parse(readFileSync('schemas/documents.json', 'utf8'));
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictTypes: false });
  ajv.addSchema(published()['documents.json'] as object);
  expect(Object.keys($defs)).toContain('Problem');
  for (const name of Object.keys($defs)) ajv.compile({ $ref: `${$id}#/$defs/${name}` });
});

test('no event is left out of the reference', () => {
  const files = {
    'ledger/requests.ts': ['Request'],
    'ledger/landing-events.ts': ['LandingEvent'],
    'ledger/events.ts': ['RunEvent', 'RepoEvent'],
    'ledger/dcm-events.ts': ['DcmFact'],
  };
  const sources = Object.entries(files).map(([name, unions]) => ({
    source: readFileSync(`src/domain/${name}`, 'utf8'),
    unions,
  }));
  const named = sources.flatMap(({ source, unions }) =>
    unions.flatMap((union) => unionMembers(source, union).flatMap(({ names }) => names)),
  );
  const source = sources.map((one) => one.source).join('\n');
  const written = [...source.matchAll(/readonly type:((?:\s*\|?\s*'[a-z-]+')+)/g)].flatMap(([, types]) =>
    [...(types ?? '').matchAll(/'([a-z-]+)'/g)].map((found) => found[1]),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(new Set(named)).toEqual(new Set(written));
});
