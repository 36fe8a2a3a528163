import { z } from 'zod';

export const id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'is not an id');
export const time = z.string().meta({ description: 'ISO 8601, for people only: nothing is ordered by it' });
export const commit = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
export const count = z.int().min(0);

/** A number as it stands in an address: digits, and nothing else that JavaScript would take for one. */
export const digits = <S extends z.ZodType<number>>(number: S) =>
  z.preprocess((text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : text), number);

/** Answers as of an event of the ledger, that one included. */
const at = digits(z.int().min(1)).optional();
export const atQuery = z.strictObject({ at: at.meta({ description: 'as it was at this sequence number' }) });

export const pageQuery = z.strictObject({
  ...atQuery.shape,
  cursor: z.string().max(200).optional().meta({ description: '`next` of the page before' }),
  limit: digits(z.int().min(1).max(500)).default(100),
});

/** One page of a list. Null: it was the last. */
export const page = <S extends z.ZodType>(items: S) =>
  z.strictObject({ items: z.array(items), next: z.string().nullable() });

export const by = z.strictObject({ who: z.string(), via: z.string() });
