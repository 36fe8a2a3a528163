import { z } from 'zod';
import type { WebhookEvent } from '../domain/board/notices.ts';
import { newsKinds } from '../domain/settings/settings.ts';

/** The body of a webhook delivery. Later versions may add keys and remove none. */
export const webhookSchema = z
  .object({
    schema: z.literal('tidegate.webhook/1'),
    id: z
      .string()
      .describe('id of this item; the same at each try of its delivery, and in the header Tidegate-Event-Id'),
    at: z.iso.datetime().describe('time of the first try'),
    news: z.enum(newsKinds).describe('a person is needed; a task or a run failed; a run is done'),
    repository: z.string().describe('the name of the checkout, without its path'),
    run: z.string(),
    task: z.string().nullable().describe('null: the item is about the whole run'),
    kind: z
      .string()
      .describe('approve, land, held, failed, blocked, launch, halted, disk, login, budget, scope, landing or ended'),
    message: z.string().describe('the event in one sentence'),
    safe: z.string().describe('the effect on running agents, finished work and branches'),
    command: z.string().describe('the command to run next; can be pasted as it is'),
  })
  .meta({ title: 'Tidegate webhook event' }) satisfies z.ZodType<
  Omit<WebhookEvent, 'kind'> & { readonly kind: string }
>;

/** Returns the JSON Schema that is published as `schemas/webhook.json`. */
export function webhookJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(webhookSchema, { io: 'input', target: 'draft-2020-12' });
  return {
    $schema,
    $id: 'urn:tidegate:schema:webhook:1',
    description: 'The body of a delivery to a webhook of `notify`.',
    ...rest,
  };
}
