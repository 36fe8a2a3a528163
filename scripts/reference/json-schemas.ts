import { z } from 'zod';
import { handoffSchema } from '../../src/adapters/handoff/schema.ts';
import { configSchema, planSchema, userConfigSchema } from '../../src/adapters/plan-files/schema.ts';

/** File name -> the JSON Schema (draft 2020-12) that is published in the package as `schemas/<name>`. */
export function jsonSchemas(): Readonly<Record<string, object>> {
  return {
    'plan.json': published('plan', planSchema, 'A plan: what a person wrote, as one YAML file.'),
    'config.json': published('config', configSchema, 'tidegate.yaml and tidegate.local.yaml.'),
    'user-config.json': published('user-config', userConfigSchema, 'The configuration of a person, config.yaml.'),
    'handoff.json': published('handoff', handoffSchema, 'What an agent states at its end; at most 16 KB.'),
  };
}

function published(name: string, schema: z.ZodType, description: string): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
  return { $schema, $id: `urn:tidegate:schema:${name}:1`, description, ...rest };
}
