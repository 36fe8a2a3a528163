import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { type Problem, problem } from '../../protocol/problem.ts';
import type { Route } from '../../protocol/route.ts';

type Sent = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  /** Undefined where there was none. */
  readonly body: unknown;
};
type Validated = { readonly params: unknown; readonly query: unknown; readonly body: unknown };

/** What was sent, as the schemas of the route have it; or the first mistake, with the field it is in. */
export function validated(
  route: Pick<Route, 'params' | 'query' | 'body'>,
  { params, query: pairs, body }: Sent,
): Result<Validated, Problem> {
  const names = new Set<string>();
  for (const [name] of pairs) {
    if (names.has(name))
      return err(problem(400, 'bad-query', `${name} stands there twice`, { field: `query.${name}` }));
    names.add(name);
  }
  const named = route.params.safeParse(params);
  // an id that cannot be one names nothing
  if (!named.success) return err(mistake(404, 'params', named.error));
  const query = route.query.safeParse(Object.fromEntries(pairs));
  if (!query.success) return err(mistake(400, 'query', query.error));
  const content = route.body === null ? null : route.body.safeParse(body === undefined ? {} : body);
  if (content?.success === false) return err(mistake(422, 'body', content.error));
  return ok({ params: named.data, query: query.data, body: content?.data ?? null });
}

/** A browser that reconnects asks for the same address as before, and adds how far it came. */
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

/** Of a value that fits none of several forms: the mistake in the form that it comes closest to, which is wrong deepest inside. */
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
