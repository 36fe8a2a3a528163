// Writes schemas/*.json from the parsers' own definitions. A test fails while they differ.
import { mkdirSync, writeFileSync } from 'node:fs';
import { webhookJsonSchema } from '../src/protocol/webhook.ts';
import { jsonSchemas } from './reference/json-schemas.ts';

const folder = new URL('../schemas/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries({ ...jsonSchemas(), 'webhook.json': webhookJsonSchema() }))
  writeFileSync(new URL(name, folder), `${JSON.stringify(schema, null, 2)}\n`);
