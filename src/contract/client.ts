import type { z } from 'zod';
import { pageKeyHeader } from '../protocol/credentials.ts';
import type { Problem } from '../protocol/problem.ts';
import type { Route } from '../protocol/route.ts';
import type {
  CallOptions,
  ClientOptions,
  CommandCallOptions,
  TextCallOptions,
  TextStream,
  WatchOptions,
} from './call-options.ts';
import type { Routes } from './routes.ts';
import { chunksOf, resumedEvents } from './watch.ts';
import { type Wire, wire } from './wire.ts';

/**
 * A function for every route, by its name. Parameters of path and query are one object, a body is the next argument. Only watching
 * retries by itself: it resumes where it was cut.
 */
export type TidegateClient = { readonly [Name in keyof Routes]: Call<Routes[Name]> };

type Call<R extends Route> = (...args: [...ParamsOf<R>, ...BodyOf<R>, options?: OptionsOf<R>]) => AnswerOf<R>;

type ParamsOf<R extends Route> = MaybeOmitted<Loose<R['params']> & Loose<R['query']>>;
type BodyOf<R extends Route> = R['body'] extends z.ZodType ? MaybeOmitted<z.input<R['body']>> : [];
type MaybeOmitted<T> = Record<never, never> extends T ? [params?: T] : [params: T];
/** A number may be passed where its text is sent. */
type Loose<S extends z.ZodObject> = {
  [K in keyof z.input<S> as K extends keyof S['shape'] ? K : never]:
    | z.input<S>[K]
    | (K extends keyof z.output<S> ? z.output<S>[K] : never);
};
type OptionsOf<R extends Route> = R['answer'] extends { readonly content: string }
  ? TextCallOptions
  : R['answer'] extends { readonly events: z.ZodType }
    ? WatchOptions
    : R['method'] extends 'GET'
      ? CallOptions
      : CommandCallOptions;
type AnswerOf<R extends Route> = R['answer'] extends { readonly schema: infer S extends z.ZodType }
  ? Promise<z.output<S>>
  : R['answer'] extends { readonly events: infer E extends z.ZodType }
    ? AsyncIterable<z.output<E>>
    : Promise<TextStream>;

/** Thrown when the server refuses. Not returned, because a refusal that nobody reads must end the program of the caller. */
export class TidegateProblem extends Error {
  override readonly name = 'TidegateProblem';
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.next === undefined ? problem.detail : `${problem.detail} (${problem.next})`);
    this.problem = problem;
  }
}

export function tidegateClient(options: ClientOptions): TidegateClient {
  const calls = Object.entries<Wire>(wire).map(([name, route]) => [name, callOf(options, route)]);
  return Object.fromEntries(calls) as TidegateClient;
}

type Values = Readonly<Record<string, unknown>>;
type AnyOptions = CommandCallOptions & TextCallOptions & WatchOptions;

function callOf(client: ClientOptions, route: Wire) {
  return (params: Values = {}, ...rest: readonly unknown[]): unknown => {
    const [body, options = {}] = (route.takesBody ? rest : [undefined, ...rest]) as [unknown, AnyOptions?];
    if (route.answers === 'events') return watch(client, route, params, options);
    return send(client, route, params, options, body).then((response) =>
      route.answers === 'text' ? textOf(response) : response.json(),
    );
  };
}

function watch(client: ClientOptions, route: Wire, params: Values, options: WatchOptions): AsyncIterable<unknown> {
  const stream = {
    open: async (after: string | undefined, signal: AbortSignal) =>
      decoded(await send(client, route, { ...params, after }, { signal })),
    isPassing: (error: unknown) =>
      error instanceof TidegateProblem
        ? error.problem.status >= 500 || error.problem.status === 429
        : // `fetch` throws it when there is no connection
          error instanceof TypeError,
  };
  return resumedEvents(stream, typeof params['after'] === 'string' ? params['after'] : undefined, options);
}

async function send(client: ClientOptions, route: Wire, params: Values, options: AnyOptions, body?: unknown) {
  const response = await (client.fetch ?? fetch)(addressOf(client.url, route, params), {
    method: route.method,
    redirect: 'error',
    headers: headersOf(client, route, options, body),
    signal: options.signal ?? null,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new TidegateProblem(await problemIn(response));
  return response;
}

/** Fills the braces of the path. All other parameters become the query. */
function addressOf(url: string, { path }: Wire, params: Values): string {
  const inPath = new Set<string>();
  const named = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    inPath.add(name);
    const value = String(params[name] ?? '');
    // URL normalisation removes these, and the request would go to another path
    if (['', '.', '..'].includes(value)) throw new TypeError(`${name} is required`);
    return encodeURIComponent(value);
  });
  const rest = Object.entries(params).filter(([name, value]) => !inPath.has(name) && value !== undefined);
  const query = new URLSearchParams(rest.map(([name, value]): [string, string] => [name, String(value)]));
  return `${url.replace(/\/+$/, '')}${named}${query.size === 0 ? '' : `?${query}`}`;
}

function headersOf({ token, pageKey }: ClientOptions, { method }: Wire, { key, range }: AnyOptions, body: unknown) {
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(pageKey === undefined ? {} : { [pageKeyHeader]: pageKey }),
    ...(method === 'GET' ? {} : { 'idempotency-key': key ?? crypto.randomUUID() }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(range === undefined ? {} : { range: `bytes=${'last' in range ? `-${range.last}` : spanOf(range)}` }),
  };
}

const spanOf = ({ from, to }: { readonly from: number; readonly to?: number }): string =>
  `${from}-${to === undefined ? '' : to - 1}`;

async function problemIn(response: Response): Promise<Problem> {
  const isProblem = response.headers.get('content-type') === 'application/problem+json';
  if (isProblem) return (await response.json()) as Problem;
  const text = (await response.text()).slice(0, 200);
  return {
    type: 'tidegate:not-tidegate',
    title: 'The answer is not from Tidegate',
    status: response.status,
    detail: `status ${response.status}, and no problem document: ${text}`,
  };
}

function textOf(response: Response): TextStream {
  const stream = decoded(response);
  return {
    [Symbol.asyncIterator]: () => chunksOf(stream),
    whole: async () => {
      let text = '';
      for await (const chunk of chunksOf(stream)) text += chunk;
      return text;
    },
  };
}

function decoded({ body }: Response): ReadableStream<string> {
  if (body === null) throw new Error('the answer has no body');
  return body.pipeThrough(new TextDecoderStream());
}
