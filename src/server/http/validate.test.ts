import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { digits, id, pageQuery } from '../../protocol/documents/common.ts';
import { does, json } from '../../protocol/route.ts';
import { queryOf, validate } from './router.ts';

const target = z.union([
  z.strictObject({ branch: z.string() }),
  z.strictObject({ commit: z.string(), files: z.array(z.strictObject({ path: z.string(), size: z.int() })) }),
]);
const shape = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('round'), radius: z.number().positive() }),
  z.strictObject({ kind: z.literal('flat') }),
]);
const route = does(
  {
    path: '/v1/{thing}',
    group: 'Toys',
    summary: 'A toy',
    role: 'read',
    params: z.strictObject({ thing: id }),
    query: pageQuery,
  },
  z.strictObject({
    names: z.array(z.strictObject({ name: z.string().min(1) })).default([]),
    target: target.optional(),
    shape: shape.optional(),
    either: z.union([z.string(), z.number()]).optional(),
  }),
  json(z.unknown()),
);
const given = (body: unknown, search = '', thing = 'a') =>
  validate(route, { params: { thing }, query: queryOf(route, search, {}), body });

test('what is right comes with its defaults', () => {
  const value = { params: { thing: 'a' }, query: { at: 7, limit: 100 }, body: { names: [] } };
  expect(given({}, 'at=7')).toEqual({ ok: true, value });
  // a body may be missing where all of it may
  expect(given(undefined, 'at=7')).toEqual({ ok: true, value });
});

describe('a mistake names its field', () => {
  test.each([
    [{ names: [{ name: 'a' }, { name: '' }] }, 'body.names[1].name'],
    [{ nmaes: [] }, 'body.nmaes'],
    [{ names: [{ name: 'a', size: 1 }] }, 'body.names[0].size'],
    [[], 'body'],
    [null, 'body'],
    ['text', 'body'],
    // of several forms: the one it comes closest to
    [{ target: { commit: 'c', files: [{ path: 'p', size: 1.5 }] } }, 'body.target.files[0].size'],
    [{ target: 3 }, 'body.target'],
    [{ either: {} }, 'body.either'],
    [{ shape: { kind: 'round', radius: -1 } }, 'body.shape.radius'],
    [{ shape: { kind: 'square' } }, 'body.shape.kind'],
    [{ shape: {} }, 'body.shape.kind'],
    [JSON.parse('{"__proto__":{"names":[]}}'), 'body.__proto__'],
    [JSON.parse('{"constructor":{}}'), 'body.constructor'],
  ])('%j', (body, field) => {
    const refused = given(body);
    expect(refused).toMatchObject({ ok: false, error: { status: 422, type: 'tidegate:invalid', field } });
    expect(refused.ok ? '' : refused.error.detail).toMatch(/^body.*: \S/);
  });

  test.each([
    ['limit=0', 'query.limit'],
    ['limit=501', 'query.limit'],
    ['limit=', 'query.limit'],
    ['limit=ten', 'query.limit'],
    ['at=0x10', 'query.at'],
    ['at=1e2', 'query.at'],
    ['at=%205', 'query.at'],
    ['at=-1', 'query.at'],
    ['at=1.0', 'query.at'],
    ['at=9999999999999999', 'query.at'],
    ['at=1&at=2', 'query.at'],
    ['At=1', 'query.At'],
    ['__proto__=1', 'query.__proto__'],
    [`cursor=${'x'.repeat(201)}`, 'query.cursor'],
  ])('?%s', (search, field) => {
    expect(given({}, search)).toMatchObject({ ok: false, error: { status: 400, field } });
  });

  test.each(['A', '..', 'a/b', '', 'a b', 'ä', 'a'.repeat(65), '__proto__'])(
    'an id that is %j names nothing',
    (thing) => {
      expect(given({}, '', thing)).toMatchObject({
        ok: false,
        error: { status: 404, type: 'tidegate:bad-id', field: 'params.thing' },
      });
    },
  );
});

test('a browser that reconnects to events goes on where it was, whatever its address says', () => {
  const events = { answer: { status: 200, events: z.unknown() } } as const;
  expect(queryOf(events, 'after=3&channel=x', { 'last-event-id': '9' })).toEqual([
    ['channel', 'x'],
    ['after', '9'],
  ]);
  expect(queryOf(route, 'after=3', { 'last-event-id': '9' })).toEqual([['after', '3']]);
});

test('digits are one number only', () => {
  expect(digits(z.int()).parse('007')).toBe(7);
  expect(digits(z.int()).safeParse('٣').success).toBe(false);
});
