/** Requests come from programs of others: every step down is a question. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export const field = (value: Json | undefined, key: string): Json | undefined =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as { readonly [key: string]: Json })[key]
    : undefined;

export const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

export const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** The text of a content that is a string or a list of parts with a `text`. */
export const textOf = (content: Json | undefined): string =>
  typeof content === 'string'
    ? content
    : list(content)
        .map((part) => text(field(part, 'text')))
        .join('\n');

export const keysOf = (value: Json | undefined): readonly string[] =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : [];
