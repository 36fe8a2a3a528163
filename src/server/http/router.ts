import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { type Problem, problem } from '../../protocol/problem.ts';
import type { Route } from '../../protocol/route.ts';

export type RouteMatch<Id extends string> =
  | { readonly kind: 'route'; readonly id: Id; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'other-method'; readonly allowed: readonly string[] }
  | { readonly kind: 'nothing' };

/**
 * Returns a function that finds the route of a path: the one with the most fixed segments. Segments are decoded once. A path with a
 * segment that is empty or cannot be decoded matches nothing.
 */
export function router<Id extends string>(
  routes: Readonly<Record<Id, Pick<Route, 'method' | 'path'>>>,
): (method: string, path: string) => RouteMatch<Id> {
  const ordered = (Object.keys(routes) as Id[])
    .map((id) => ({ id, method: routes[id].method, pattern: routes[id].path.split('/').slice(1) }))
    .map((route) => ({ ...route, fixed: route.pattern.filter((part) => !isParam(part)).length }))
    .sort((a, b) => b.fixed - a.fixed);
  const byLength = Map.groupBy(ordered, ({ pattern }) => pattern.length);
  return (method, path) => {
    const segments = segmentsOf(path);
    if (segments === null) return { kind: 'nothing' };
    const matching = (byLength.get(segments.length) ?? []).filter(({ pattern }) => fits(pattern, segments));
    const [first] = matching;
    if (first === undefined) return { kind: 'nothing' };
    const same = matching.filter(({ fixed }) => fixed === first.fixed);
    const route = same.find((one) => one.method === method || (method === 'HEAD' && one.method === 'GET'));
    if (route === undefined) {
      const allowed = same.flatMap((one) => (one.method === 'GET' ? ['GET', 'HEAD'] : [one.method]));
      return { kind: 'other-method', allowed };
    }
    return { kind: 'route', id: route.id, params: paramsOf(route.pattern, segments) };
  };
}

function segmentsOf(path: string): readonly string[] | null {
  if (!path.startsWith('/')) return null;
  try {
    const segments = path.slice(1).split('/').map(decodeURIComponent);
    return segments.includes('') ? null : segments;
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

const isParam = (part: string): boolean => part.startsWith('{');
const fits = (pattern: readonly string[], segments: readonly string[]): boolean =>
  pattern.every((part, at) => isParam(part) || part === segments[at]);

const paramsOf = (pattern: readonly string[], segments: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(pattern.flatMap((part, at) => (isParam(part) ? [[part.slice(1, -1), segments[at] ?? '']] : [])));

export const bodyLimit = 1 << 20;
/** Functions that walk a value recursively must come to an end. */
const depthLimit = 100;

/** Returns the JSON of a request; undefined when it has no body. Nothing beyond the limit is read. */
export async function readJson(request: IncomingMessage): Promise<Result<unknown, Problem>> {
  const announced = Number(request.headers['content-length'] ?? '0');
  if (announced > bodyLimit) return err(tooLarge);
  const bytes = await bytesOf(request);
  if (!bytes.ok) return bytes;
  if (bytes.value.length === 0) return ok(undefined);
  if (!isJson(request.headers['content-type']))
    return err(problem(415, 'not-json', 'the body must be JSON', { next: 'send Content-Type: application/json' }));
  return parse(bytes.value);
}

async function bytesOf(request: IncomingMessage): Promise<Result<Buffer, Problem>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // left open when we stop in the middle: the answer still has to get out
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bodyLimit) return err(tooLarge);
      chunks.push(chunk);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return err(cutOff);
    throw error;
  }
  return ok(Buffer.concat(chunks));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Buffer): Result<unknown, Problem> {
  try {
    const text = utf8.decode(bytes);
    return isTooDeep(text) ? err(tooDeep) : ok(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return err(problem(400, 'bad-json', `the body is not JSON: ${error.message}`));
    if (error instanceof TypeError) return err(problem(400, 'bad-text', 'the body is not UTF-8'));
    throw error;
  }
}

/** Counts brackets outside strings. For text that is not JSON the result means nothing. */
function isTooDeep(text: string): boolean {
  if (text.length <= depthLimit) return false;
  let [depth, inString] = [0, false];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
    if (depth > depthLimit) return true;
  }
  return false;
}

const isJson = (type: string | undefined): boolean => /^application\/json\s*(;\s*charset=utf-8\s*)?$/i.test(type ?? '');

const tooLarge = problem(413, 'too-large', `a body may have ${bodyLimit} bytes`);
const tooDeep = problem(400, 'too-deep', `a body may have ${depthLimit} levels of lists and objects`);
const cutOff = problem(400, 'cut-off', 'the body ended in the middle');

type Sent = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  /** Undefined when there was none. */
  readonly body: unknown;
};
type ValidInput = { readonly params: unknown; readonly query: unknown; readonly body: unknown };

/** Returns the input of a route by its schemas, or the first mistake with its field. */
export function validate(
  route: Pick<Route, 'params' | 'query' | 'body'>,
  { params, query: pairs, body }: Sent,
): Result<ValidInput, Problem> {
  const names = new Set<string>();
  for (const [name] of pairs) {
    if (names.has(name)) return err(problem(400, 'bad-query', `${name} occurs twice`, { field: `query.${name}` }));
    names.add(name);
  }
  const ids = route.params.safeParse(params);
  // an id of the wrong form names nothing
  if (!ids.success) return err(mistake(404, 'params', ids.error));
  const query = route.query.safeParse(Object.fromEntries(pairs));
  if (!query.success) return err(mistake(400, 'query', query.error));
  const content = route.body === null ? null : route.body.safeParse(body === undefined ? {} : body);
  if (content?.success === false) return err(mistake(422, 'body', content.error));
  return ok({ params: ids.data, query: query.data, body: content?.data ?? null });
}

/** A browser that reconnects repeats the same address and adds the last event that it has. */
export function queryOf(
  { answer }: { readonly answer: object },
  search: string,
  { 'last-event-id': reached }: IncomingHttpHeaders,
): Sent['query'] {
  const pairs = [...new URLSearchParams(search)];
  if (!('events' in answer) || typeof reached !== 'string') return pairs;
  return [...pairs.filter(([name]) => name !== 'after'), ['after', reached]];
}

function mistake(status: 400 | 404 | 422, part: string, { issues }: z.ZodError): Problem {
  const { path, message } = innermost(issues) ?? { path: [], message: 'is not right' };
  const field = path.reduce<string>(
    (text, step) => text + (typeof step === 'number' ? `[${step}]` : `.${String(step)}`),
    part,
  );
  return problem(status, status === 404 ? 'bad-id' : 'invalid', `${field}: ${message}`, {
    field,
    next: 'see /openapi.json',
  });
}

type Place = { readonly path: readonly PropertyKey[]; readonly message: string };

/** For a value that fits none of several forms: returns the mistake of the closest form, which is the one deepest inside. */
function innermost(issues: readonly z.core.$ZodIssue[]): Place | undefined {
  const [issue] = issues;
  if (issue === undefined) return undefined;
  if (issue.code === 'unrecognized_keys')
    return { path: [...issue.path, ...issue.keys.slice(0, 1)], message: issue.message };
  if (issue.code !== 'invalid_union') return issue;
  const forms = issue.errors.flatMap((form) => innermost(form) ?? []);
  const closest = forms.toSorted((a, b) => b.path.length - a.path.length)[0];
  if (closest === undefined || closest.path.length === 0) return issue;
  return { path: [...issue.path, ...closest.path], message: closest.message };
}
