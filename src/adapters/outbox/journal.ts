import { join } from 'node:path';
import { z } from 'zod';
import { type Deliveries, owedIn } from '../../domain/board/deliveries.ts';
import type { WebhookEvent } from '../../domain/board/notices.ts';
import { isEnvironmental } from '../../ports/failures.ts';
import { writeDurably } from '../files/durable-file.ts';
import { readCache } from '../files/state-file.ts';
import { parseFields } from '../files/untrusted-json.ts';

const name = 'webhooks.json';
const text = z.string();
const event = z.looseObject({ schema: z.literal('tidegate.webhook/1'), id: text, at: text, news: text, run: text });
const schema = z.object({
  since: z.iso.datetime(),
  all: z.array(
    z.object({
      item: text,
      lasting: z.boolean(),
      at: z.iso.datetime(),
      event: z.custom<WebhookEvent>((value) => event.safeParse(value).success).nullable(),
    }),
  ),
});

/** Null where there is none, or none that can be read: then nothing is owed. */
export const readDeliveries = (stateDirectory: string): Deliveries | null =>
  readCache(join(stateDirectory, name), (kept) => schema.safeParse(parseFields(kept)).data ?? null);

/** Where there is no room for it, it is known as long as this process lives. */
export function writeDeliveries(stateDirectory: string, deliveries: Deliveries): void {
  try {
    writeDurably(join(stateDirectory, name), `${JSON.stringify(deliveries)}\n`);
  } catch (error) {
    if (!isEnvironmental(error)) throw error;
  }
}

/** Something is to be brought to a webhook that no coordinator has brought yet. */
export function owesDeliveries(stateDirectory: string): boolean {
  const deliveries = readDeliveries(stateDirectory);
  return deliveries !== null && owedIn(deliveries).length > 0;
}
