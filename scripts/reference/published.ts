import { readFileSync } from 'node:fs';
import { asyncApi } from '../../src/contract/asyncapi.ts';
import { openApi } from '../../src/contract/openapi.ts';
import { routes } from '../../src/contract/routes.ts';
import { webhookJsonSchema } from '../../src/protocol/webhook.ts';
import { jsonSchemas } from './json-schemas.ts';

/** Every file in schemas/, by its name. */
export function published(): Readonly<Record<string, object>> {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const document = openApi(routes, version);
  return {
    ...jsonSchemas(),
    'webhook.json': webhookJsonSchema(),
    'openapi.json': document,
    'asyncapi.json': asyncApi(version),
    'documents.json': documents(document.components.schemas),
  };
}

/** Each document that the server answers with, for programs that know JSON Schema and no OpenAPI. */
const documents = (schemas: Readonly<Record<string, object>>): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:tidegate:schema:documents:1',
  description: 'Documents of the API: `$ref` the one that you need, such as `#/$defs/Problem`.',
  $defs: JSON.parse(JSON.stringify(schemas).replaceAll('"#/components/schemas/', '"#/$defs/')),
});
