import type { Route } from '../protocol/route.ts';
import { type Routes, routes } from './routes.ts';

/** The part of a route that a client needs at run time. The published client holds this and none of the schemas. */
export type Wire = Pick<Route, 'method' | 'path'> & {
  readonly takesBody: boolean;
  readonly answers: 'json' | 'text' | 'events';
};

export const wire = Object.fromEntries(
  Object.entries<Route>(routes).map(([name, { method, path, body, answer }]): [string, Wire] => [
    name,
    {
      method,
      path,
      takesBody: body !== null,
      answers: 'schema' in answer ? 'json' : 'content' in answer ? 'text' : 'events',
    },
  ]),
) as Readonly<Record<keyof Routes, Wire>>;
