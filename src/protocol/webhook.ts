import { z } from 'zod';
import type { WebhookEvent } from '../domain/board/notices.ts';
import { newsKinds } from '../domain/settings/settings.ts';

/** What a webhook gets, as its receiver may rely on it. Further keys may come; none of these goes. */
export const webhookSchema = z
  .object({
    schema: z.literal('tidegate.webhook/1'),
    id: z
      .string()
      .describe('of this item; the same each time that its delivery is tried, and in the header Tidegate-Event-Id'),
    at: z.iso.datetime().describe('when it was first tried'),
    news: z.enum(newsKinds).describe('a person is needed; a task or a run failed; a run is done'),
    repository: z.string().describe('the name of the checkout, without its path'),
    run: z.string(),
    task: z.string().nullable().describe('null: it is about the whole run'),
    kind: z
      .string()
      .describe('approve, land, held, failed, blocked, launch, halted, disk, login, budget, scope, landing or ended'),
    message: z.string().describe('what happened'),
    safe: z.string().describe('what nobody has to worry about'),
    command: z.string().describe('what brings it on; can be pasted as it is'),
  })
  .meta({ title: 'Tidegate webhook event' }) satisfies z.ZodType<
  Omit<WebhookEvent, 'kind'> & { readonly kind: string }
>;

/** The JSON Schema that is published as `schemas/webhook.json`. */
export function webhookJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(webhookSchema, { io: 'input', target: 'draft-2020-12' });
  return { $schema, $id: 'urn:tidegate:schema:webhook:1', description: 'What a webhook of `notify` gets.', ...rest };
}
