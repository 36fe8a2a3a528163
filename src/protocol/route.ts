import { z } from 'zod';
import type { ProblemStatus } from './problem.ts';

/** Each role includes the permissions of the roles before it. */
export const accessRoles = ['read', 'operate', 'approve'] as const;
export type AccessRole = (typeof accessRoles)[number];

/** One route, as the router, the documents and the client read it. */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Parameters in braces are whole segments. */
  readonly path: `/${string}`;
  readonly role: AccessRole;
  /** The heading in the OpenAPI document. */
  readonly group: string;
  readonly summary: string;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** Null: none is read. A body that may be left out accepts `{}`. */
  readonly body: z.ZodType | null;
  readonly answer: JsonAnswer | TextAnswer | EventsAnswer;
  /** In addition to the refusals of every route. */
  readonly refuses: readonly ProblemStatus[];
};
export type JsonAnswer = { readonly status: 200 | 201 | 202; readonly schema: z.ZodType };
/** Bytes of a file, which can be requested by range. */
export type TextAnswer = { readonly status: 200; readonly content: 'text/plain' | 'application/jsonl' };
/** Server-sent events without an end; `Last-Event-ID` replaces the query's `after`. */
type EventsAnswer = { readonly status: 200; readonly events: z.ZodType };

/** A route whose answer is another protocol. It passes the same guard as every route; that protocol documents its own messages. */
export type UpgradeRoute = Omit<Route, 'answer'> & {
  readonly answer: { readonly status: 200; readonly protocol: string };
};

/** The validated input of a handler. */
export type RouteInput<R extends Pick<Route, 'params' | 'query' | 'body'>> = {
  readonly params: z.output<R['params']>;
  readonly query: z.output<R['query']>;
  readonly body: R['body'] extends z.ZodType ? z.output<R['body']> : null;
};

/** The answer of a handler, before it is sent. */
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

/** True for a route that changes something, and may therefore be repeated by mistake. */
export const changes = ({ method }: Pick<Route, 'method'>): boolean => method !== 'GET';

/** Returns every status that may refuse a request to this route. */
export function refusalStatuses(route: Route | UpgradeRoute): readonly ProblemStatus[] {
  const has = (part: z.ZodObject, name?: string): boolean =>
    name === undefined ? Object.keys(part.shape).length > 0 : name in part.shape;
  const all: readonly ProblemStatus[] = [
    ...anyRoute,
    // an id of the wrong form names nothing
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
