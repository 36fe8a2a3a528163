// Writes everything that is generated from the code: docs/reference/*.md and schemas/*.json. A test fails while they differ.
import { mkdirSync, writeFileSync } from 'node:fs';
import { published } from './published.ts';
import { references } from './references.ts';

const folder = new URL('../../docs/reference/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(await references())) writeFileSync(new URL(name, folder), text);

const schemas = new URL('../../schemas/', import.meta.url);
mkdirSync(schemas, { recursive: true });
for (const [name, schema] of Object.entries(published()))
  writeFileSync(new URL(name, schemas), `${JSON.stringify(schema, null, 2)}\n`);
