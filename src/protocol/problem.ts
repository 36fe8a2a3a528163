import { z } from 'zod';

/** A problem document (RFC 9457), with the field at fault and the next step. */
export const problemSchema = z.strictObject({
  /** Stable, for programs; the same word as `reason` in the documents of the command line. */
  type: z.string().regex(/^tidegate:[a-z0-9-]+$/),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string(),
  /** The place of the mistake in the request, such as `body.tasks[0].priority`. */
  field: z.string().optional(),
  /** The next step or command. */
  next: z.string().optional(),
});
export type Problem = z.infer<typeof problemSchema>;

export const titles = {
  400: 'The request cannot be understood',
  401: 'A token is needed',
  403: 'This role is not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Refused in the present state',
  410: 'Gone',
  413: 'Body too large',
  415: 'Only JSON is accepted',
  416: 'No such range',
  421: 'Wrong host name',
  422: 'The request is invalid',
  429: 'Too many requests',
  500: 'Fault of the server',
  503: 'Not available now',
} as const;
export type ProblemStatus = keyof typeof titles;

export const problem = (
  status: ProblemStatus,
  reason: string,
  detail: string,
  more: { readonly field?: string; readonly next?: string } = {},
): Problem => ({ type: `tidegate:${reason}`, title: titles[status], status, detail, ...more });
