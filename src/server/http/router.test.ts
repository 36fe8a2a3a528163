import { describe, expect, test } from 'vitest';
import { routes } from '../../contract/routes.ts';
import type { Route } from '../../protocol/route.ts';
import { router } from './router.ts';

const find = router({
  all: { method: 'GET', path: '/v1/things' },
  make: { method: 'POST', path: '/v1/things' },
  one: { method: 'GET', path: '/v1/things/{thing}' },
  change: { method: 'PATCH', path: '/v1/things/{thing}' },
  newest: { method: 'GET', path: '/v1/things/newest' },
  part: { method: 'GET', path: '/v1/things/{thing}/parts/{part}' },
});
const route = (id: string, params: Readonly<Record<string, string>> = {}) => ({
  kind: 'route',
  id,
  params,
});
const nothing = { kind: 'nothing' };

describe('a path', () => {
  test.each([
    ['GET', '/v1/things', route('all')],
    ['POST', '/v1/things', route('make')],
    ['GET', '/v1/things/a', route('one', { thing: 'a' })],
    ['GET', '/v1/things/a/parts/b', route('part', { thing: 'a', part: 'b' })],
    ['HEAD', '/v1/things/a', route('one', { thing: 'a' })],
    // what is fixed comes before what may be anything
    ['GET', '/v1/things/newest', route('newest')],
    // decoded once, within its segment
    ['GET', '/v1/things/a%2Fb', route('one', { thing: 'a/b' })],
    ['GET', '/v1/things/a%252Fb', route('one', { thing: 'a%2Fb' })],
    ['GET', '/v1/%74hings', route('all')],
    ['GET', '/v1/things/..', route('one', { thing: '..' })],
    ['GET', '/v1/things/__proto__', route('one', { thing: '__proto__' })],
    ['GET', '/v1/things/', nothing],
    ['GET', '/v1//things', nothing],
    ['GET', '//v1/things', nothing],
    ['GET', '/v1/things/a/parts', nothing],
    ['GET', '/v1/things/%ff', nothing],
    ['GET', '/v1/things/%', nothing],
    ['GET', '/v1/THINGS', nothing],
    ['GET', 'v1/things', nothing],
    ['GET', 'http://elsewhere/v1/things', nothing],
    ['GET', '*', nothing],
    ['GET', '', nothing],
  ])('%s %s', (method, path, match) => {
    expect(find(method, path)).toEqual(match);
  });

  test.each([
    ['DELETE', '/v1/things', ['GET', 'HEAD', 'POST']],
    ['POST', '/v1/things/a', ['GET', 'HEAD', 'PATCH']],
    // it is another thing than the one of that name
    ['PATCH', '/v1/things/newest', ['GET', 'HEAD']],
    ['get', '/v1/things/newest', ['GET', 'HEAD']],
  ])('%s %s is there for other methods', (method, path, allowed) => {
    expect(find(method, path)).toEqual({ kind: 'other-method', allowed });
  });
});

test('every route of the table is found by its own path, and no two are the same', () => {
  const ofServer = router<string>(routes as Readonly<Record<string, Route>>);
  for (const [id, { method, path }] of Object.entries<Route>(routes)) {
    const params = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, `x-${name}`]));
    expect(ofServer(method, path.replaceAll(/\{(\w+)\}/g, 'x-$1'))).toEqual(route(id, params));
  }
});

test('every parameter of a path has its schema, and every schema its place in the path', () => {
  for (const { path, params } of Object.values<Route>(routes))
    expect(Object.keys(params.shape).sort()).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort());
});
