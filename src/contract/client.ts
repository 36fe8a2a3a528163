import type { z } from 'zod';
import { pageKeyHeader } from '../protocol/credentials.ts';
import type { Problem } from '../protocol/problem.ts';
import type { Route } from '../protocol/route.ts';
import type { Asking, AskingCommand, AskingText, ClientOptions, TextStream, Watching } from './asking.ts';
import { chunksOf } from './chunks.ts';
import type { Routes } from './routes.ts';
import { resumedEvents } from './watch.ts';
import { type Wire, wire } from './wire.ts';

/**
 * A function for every route, by its name. Parameters of path and query are one object, a body is the next argument. Nothing is
 * tried again by itself but watching, which goes on where it was cut.
 */
export type TidegateClient = { readonly [Name in keyof Routes]: Call<Routes[Name]> };

type Call<R extends Route> = (...given: [...GivenOf<R>, ...BodyOf<R>, options?: OptionsOf<R>]) => AnswerOf<R>;

type GivenOf<R extends Route> = MaybeOmitted<Loose<R['params']> & Loose<R['query']>>;
type BodyOf<R extends Route> = R['body'] extends z.ZodType ? MaybeOmitted<z.input<R['body']>> : [];
type MaybeOmitted<T> = Record<never, never> extends T ? [given?: T] : [given: T];
/** A number may be given where its text is sent. */
type Loose<S extends z.ZodObject> = {
  [K in keyof z.input<S> as K extends keyof S['shape'] ? K : never]:
    | z.input<S>[K]
    | (K extends keyof z.output<S> ? z.output<S>[K] : never);
};
type OptionsOf<R extends Route> = R['answer'] extends { readonly content: string }
  ? AskingText
  : R['answer'] extends { readonly events: z.ZodType }
    ? Watching
    : R['method'] extends 'GET'
      ? Asking
      : AskingCommand;
type AnswerOf<R extends Route> = R['answer'] extends { readonly schema: infer S extends z.ZodType }
  ? Promise<z.output<S>>
  : R['answer'] extends { readonly events: infer E extends z.ZodType }
    ? AsyncIterable<z.output<E>>
    : Promise<TextStream>;

/**
 * Thrown when the server refuses. Thrown, not returned: a refusal that nobody looked at must end the program that asked, not let
 * it go on with an answer that is none.
 */
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
type AnyOptions = AskingCommand & AskingText & Watching;

function callOf(client: ClientOptions, route: Wire) {
  return (given: Values = {}, ...rest: readonly unknown[]): unknown => {
    const [body, options = {}] = (route.takesBody ? rest : [undefined, ...rest]) as [unknown, AnyOptions?];
    if (route.answers === 'events') return watch(client, route, given, options);
    const asked = ask(client, route, given, options, body);
    return asked.then((response) => (route.answers === 'text' ? textOf(response) : response.json()));
  };
}

function watch(client: ClientOptions, route: Wire, given: Values, options: Watching): AsyncIterable<unknown> {
  const stream = {
    open: async (after: string | undefined, signal: AbortSignal) =>
      decoded(await ask(client, route, { ...given, after }, { signal })),
    isPassing: (error: unknown) =>
      error instanceof TidegateProblem
        ? error.problem.status >= 500 || error.problem.status === 429
        : // what `fetch` throws when there is no connection, or no longer
          error instanceof TypeError,
  };
  return resumedEvents(stream, typeof given['after'] === 'string' ? given['after'] : undefined, options);
}

async function ask(client: ClientOptions, route: Wire, given: Values, options: AnyOptions, body?: unknown) {
  const send = client.fetch ?? fetch;
  const response = await send(addressOf(client.url, route, given), {
    method: route.method,
    redirect: 'error',
    headers: headersOf(client, route, options, body),
    signal: options.signal ?? null,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new TidegateProblem(await problemIn(response));
  return response;
}

/** What stands in braces in the path, and the rest as its query. */
function addressOf(url: string, { path }: Wire, given: Values): string {
  const inPath = new Set<string>();
  const named = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    inPath.add(name);
    const value = String(given[name] ?? '');
    // these would be taken away on the way, and another path asked for
    if (['', '.', '..'].includes(value)) throw new TypeError(`${name} has to be given`);
    return encodeURIComponent(value);
  });
  const rest = Object.entries(given).filter(([name, value]) => !inPath.has(name) && value !== undefined);
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
  const said = (await response.text()).slice(0, 200);
  return {
    type: 'tidegate:not-tidegate',
    title: 'What answers there is not Tidegate',
    status: response.status,
    detail: `status ${response.status}, and no problem document: ${said}`,
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
