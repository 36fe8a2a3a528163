import { z } from 'zod';
import type { ProblemStatus } from './problem.ts';

/** What a caller may do. Each role may all that those before it may. */
export const accessRoles = ['read', 'operate', 'approve'] as const;
export type AccessRole = (typeof accessRoles)[number];

/** One route: all that the router, the documents and the client know of it. */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Parameters in braces are whole segments. */
  readonly path: `/${string}`;
  readonly role: AccessRole;
  /** Heading in the document. */
  readonly group: string;
  readonly summary: string;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** Null: none is read. One that may be left out altogether accepts `{}`. */
  readonly body: z.ZodType | null;
  readonly answer: JsonAnswer | TextAnswer | EventsAnswer;
  /** Beside those that every route may refuse with. */
  readonly refuses: readonly ProblemStatus[];
};
export type JsonAnswer = { readonly status: 200 | 201 | 202; readonly schema: z.ZodType };
/** Bytes of a file: ranges can be asked for. */
export type TextAnswer = { readonly status: 200; readonly content: 'text/plain' | 'application/jsonl' };
/** Server-sent events that do not end; `Last-Event-ID` stands for the query's `after`. */
type EventsAnswer = { readonly status: 200; readonly events: z.ZodType };

/** A way in for a protocol that others define. It passes the same guard as every route; what is said there is theirs to document. */
export type Passage = Omit<Route, 'answer'> & { readonly answer: { readonly status: 200; readonly protocol: string } };

/** What a handler is given, after all of it was validated. */
export type Given<R extends Pick<Route, 'params' | 'query' | 'body'>> = {
  readonly params: z.output<R['params']>;
  readonly query: z.output<R['query']>;
  readonly body: R['body'] extends z.ZodType ? z.output<R['body']> : null;
};

/** What a handler answers, before it is sent. */
export type Answer<R extends Route> = R['answer'] extends { readonly schema: infer S extends z.ZodType }
  ? Frozen<z.input<S>>
  : string;
type Frozen<T> = T extends readonly (infer E)[]
  ? readonly Frozen<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

type Parts = Pick<Route, 'path' | 'group' | 'summary'>;
type Optional = {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly refuses?: readonly ProblemStatus[];
};
type Of<O extends Optional, K extends 'params' | 'query'> = O[K] extends z.ZodObject ? O[K] : typeof nothing;

export const nothing = z.strictObject({});

/** A route that only shows something. */
export const shows = <const P extends Parts & Optional, A extends Route['answer']>(parts: P, answer: A) => ({
  method: 'GET' as const,
  role: 'read' as const,
  path: parts.path,
  group: parts.group,
  summary: parts.summary,
  params: (parts.params ?? nothing) as Of<P, 'params'>,
  query: (parts.query ?? nothing) as Of<P, 'query'>,
  body: null,
  answer,
  refuses: parts.refuses ?? ([404] as const),
});

/** A route that changes something. */
export const does = <
  const P extends Parts & Optional & { readonly method?: 'POST' | 'PATCH'; readonly role: AccessRole },
  B extends z.ZodType | null,
  A extends JsonAnswer,
>(
  parts: P,
  body: B,
  answer: A,
) => ({
  method: parts.method ?? ('POST' as const),
  role: parts.role,
  path: parts.path,
  group: parts.group,
  summary: parts.summary,
  params: (parts.params ?? nothing) as Of<P, 'params'>,
  query: (parts.query ?? nothing) as Of<P, 'query'>,
  body,
  answer,
  refuses: parts.refuses ?? ([404, 409, 503] as const),
});

/** Whether it asks for something to be changed, and may therefore be asked twice by mistake. */
export const changes = ({ method }: Pick<Route, 'method'>): boolean => method !== 'GET';

/** Every status that it may be refused with, whoever refuses. */
export function refusalStatuses(route: Route | Passage): readonly ProblemStatus[] {
  const has = (part: z.ZodObject, name?: string): boolean =>
    name === undefined ? Object.keys(part.shape).length > 0 : name in part.shape;
  const all: readonly ProblemStatus[] = [
    ...anyRoute,
    // an id that cannot be one names nothing
    ...(has(route.params) ? ([404] as const) : []),
    ...(has(route.query, 'cursor') ? ([410] as const) : []),
    ...(route.body === null ? [] : ([413, 415, 422] as const)),
    ...('content' in route.answer ? ([416] as const) : []),
    ...route.refuses,
  ];
  return [...new Set(all)].sort((a, b) => a - b);
}

const anyRoute = [400, 401, 403, 421, 429, 500, 503] as const;

export const json = <S extends z.ZodType>(schema: S, status: 200 | 201 | 202 = 200) => ({ status, schema });
