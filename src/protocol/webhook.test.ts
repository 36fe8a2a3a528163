import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { webhookJsonSchema } from './webhook.ts';

test('schemas/webhook.json is what npm run reference writes', () => {
  const stored = readFileSync(new URL('../../schemas/webhook.json', import.meta.url), 'utf8');
  expect(JSON.parse(stored)).toEqual(webhookJsonSchema());
});
