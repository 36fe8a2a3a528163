import { z } from 'zod';

export const id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'is not an id');
export const time = z.string().meta({ description: 'ISO 8601, for people only: do not order by it' });
export const commit = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
export const count = z.int().min(0);

/** A number in an address: only digits, no other form that JavaScript accepts as a number. */
export const digits = <S extends z.ZodType<number>>(number: S) =>
  z.preprocess((text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : text), number);

/** The state as of an event of the ledger, that one included. */
const at = digits(z.int().min(1)).optional();
export const atQuery = z.strictObject({ at: at.meta({ description: 'the state as of this sequence number' }) });

export const pageQuery = z.strictObject({
  ...atQuery.shape,
  cursor: z.string().max(200).optional().meta({ description: '`next` of the previous page' }),
  limit: digits(z.int().min(1).max(500)).default(100),
});

/** One page of a list. `next` is null on the last page. */
export const page = <S extends z.ZodType>(items: S) =>
  z.strictObject({ items: z.array(items), next: z.string().nullable() });

export const by = z.strictObject({ who: z.string(), via: z.string() });

/** The name of a DCM session, chosen by the caller. */
export const sessionId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/, 'is not a session id');

export const repositoryQuery = z.strictObject({
  repository: id
    .optional()
    .meta({ description: 'needed when the server was not started in a repository and knows several' }),
});
