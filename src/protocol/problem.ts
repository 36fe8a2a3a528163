import { z } from 'zod';

/** What went wrong, as RFC 9457 has it, with the field at fault and what to do next. */
export const problemSchema = z.strictObject({
  /** Stable, for programs; the same words as `reason` in the command line's documents. */
  type: z.string().regex(/^tidegate:[a-z0-9-]+$/),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string(),
  /** Where in the request the mistake is, such as `body.tasks[0].priority`. */
  field: z.string().optional(),
  /** What to do or to type next. */
  next: z.string().optional(),
});
export type Problem = z.infer<typeof problemSchema>;

export const titles = {
  400: 'The request cannot be understood',
  401: 'A token is needed',
  403: 'Not with this role',
  404: 'There is no such thing',
  405: 'Not this method',
  409: 'Refused as things stand',
  410: 'It is gone',
  413: 'Too much at once',
  415: 'Only JSON is read',
  416: 'Not that range',
  421: 'This server does not answer to that name',
  422: 'The request is wrong',
  429: 'Too many requests',
  500: 'A fault of the server',
  503: 'Nobody answers now',
} as const;
export type ProblemStatus = keyof typeof titles;

export const problem = (
  status: ProblemStatus,
  reason: string,
  detail: string,
  more: { readonly field?: string; readonly next?: string } = {},
): Problem => ({ type: `tidegate:${reason}`, title: titles[status], status, detail, ...more });
