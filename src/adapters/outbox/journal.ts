import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { WebhookEvent } from '../../domain/board/notices.ts';
import { type Deliveries, pendingIn } from '../../domain/board/updates.ts';
import { isEnvironmental } from '../../ports/failures.ts';
import { writeDurably } from '../files/durable-file.ts';
import { readCache } from '../files/state-file.ts';
import { parseFields } from '../files/untrusted-json.ts';

/** A journal in the state directory. A damaged one counts as empty. */
type Journal<T> = {
  read(stateDirectory: string): T;
  /** Durable when it returns. Throws when there is no room. */
  write(stateDirectory: string, content: T): void;
};

const journal = <T>(file: string, empty: T, parse: (text: string) => T | null): Journal<T> => ({
  read: (stateDirectory) => readCache(join(stateDirectory, file), parse) ?? empty,
  write: (stateDirectory, content) => writeDurably(join(stateDirectory, file), `${JSON.stringify(content)}\n`),
});

/** Items that were sent and are still open. */
const itemJournal = (file: string): Journal<readonly string[]> =>
  journal<readonly string[]>(file, [], (text) => {
    const items: unknown = JSON.parse(text);
    return Array.isArray(items) ? items.filter((item): item is string => typeof item === 'string') : null;
  });

export const noticeItems = itemJournal('notices.json');
export const threadItems = itemJournal('thread-posts.json');

const text = z.string();
const event = z.looseObject({ schema: z.literal('tidegate.webhook/1'), id: text, at: text, news: text, run: text });
const deliveriesSchema = z.object({
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

/** Null until there is a webhook: then nothing is owed. */
export const deliveryJournal = journal<Deliveries | null>(
  'webhooks.json',
  null,
  (content) => deliveriesSchema.safeParse(parseFields(content)).data ?? null,
);

/** Tells whether a webhook is owed something that no coordinator has delivered yet. */
export function owesDeliveries(stateDirectory: string): boolean {
  const deliveries = deliveryJournal.read(stateDirectory);
  return deliveries !== null && pendingIn(deliveries).length > 0;
}

/** Adds a line to `notices.log`, for a person who wonders why something did not arrive. A full disk loses the line. */
export function logLine(stateDirectory: string, line: string): void {
  try {
    appendFileSync(join(stateDirectory, 'notices.log'), `${line}\n`, { mode: 0o600 });
  } catch (error) {
    if (!isEnvironmental(error)) throw error;
  }
}
