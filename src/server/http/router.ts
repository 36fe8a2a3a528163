import type { Route } from '../../protocol/route.ts';

type Matched<Id extends string> = {
  readonly id: Id;
  readonly params: Readonly<Record<string, string>>;
};
export type RouteMatch<Id extends string> =
  | { readonly found: 'route'; readonly match: Matched<Id> }
  | { readonly found: 'other-method'; readonly allowed: readonly string[] }
  | { readonly found: 'nothing' };

/**
 * Finds the route of a path, the one with the most fixed segments. They are decoded once; one that does not decode, or is empty,
 * matches nothing.
 */
export function router<Id extends string>(
  routes: Readonly<Record<Id, Pick<Route, 'method' | 'path'>>>,
): (method: string, path: string) => RouteMatch<Id> {
  const known = (Object.keys(routes) as Id[])
    .map((id) => ({ id, method: routes[id].method, pattern: routes[id].path.split('/').slice(1) }))
    .map((route) => ({ ...route, fixed: fixedParts(route.pattern) }))
    .sort((a, b) => b.fixed - a.fixed);
  const byLength = Map.groupBy(known, ({ pattern }) => pattern.length);
  return (method, path) => {
    const segments = segmentsOf(path);
    if (segments === null) return { found: 'nothing' };
    const matching = (byLength.get(segments.length) ?? []).filter(({ pattern }) => fits(pattern, segments));
    const [first] = matching;
    if (first === undefined) return { found: 'nothing' };
    const same = matching.filter(({ fixed }) => fixed === first.fixed);
    const route = same.find((one) => one.method === method || (method === 'HEAD' && one.method === 'GET'));
    if (route === undefined) return { found: 'other-method', allowed: allowedBy(same) };
    return { found: 'route', match: { id: route.id, params: paramsOf(route.pattern, segments) } };
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

const allowedBy = (same: readonly { readonly method: string }[]): readonly string[] =>
  same.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

const isParam = (part: string): boolean => part.startsWith('{');
const fixedParts = (pattern: readonly string[]): number => pattern.filter((part) => !isParam(part)).length;
const fits = (pattern: readonly string[], segments: readonly string[]): boolean =>
  pattern.every((part, at) => isParam(part) || part === segments[at]);

const paramsOf = (pattern: readonly string[], segments: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(pattern.flatMap((part, at) => (isParam(part) ? [[part.slice(1, -1), segments[at] ?? '']] : [])));
