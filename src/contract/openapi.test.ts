import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { does, json, type Route, shows } from '../protocol/route.ts';
import { openApi } from './openapi.ts';
import { routes } from './routes.ts';

const params = z.strictObject({ thing: z.string().meta({ description: 'which' }) });
const thing = z.strictObject({ name: z.string(), size: z.int().default(3) }).meta({ id: 'Thing' });
const toy = {
  thing: shows(
    {
      path: '/v1/things/{thing}',
      group: 'Toys',
      summary: 'A thing',
      params,
      query: z.strictObject({ limit: z.coerce.number<string>().int().max(9).default(5) }),
    },
    json(thing),
  ),
  makeThing: does({ path: '/v1/things/{thing}', group: 'Toys', summary: 'Makes it', role: 'approve', params }, thing, {
    status: 201,
    schema: thing,
  }),
  text: shows(
    { path: '/v1/text', group: 'Toys', summary: 'Text', refuses: [] },
    { status: 200, content: 'text/plain' },
  ),
} as const;
const document = openApi(toy, '1.2.3');
const operationOf = (path: string, method: string) => document.paths[path]?.[method];

describe('the document of a few routes', () => {
  test('names operations as the table does, with the role that each takes', () => {
    expect(operationOf('/v1/things/{thing}', 'post')).toMatchObject({
      operationId: 'makeThing',
      tags: ['Toys'],
      security: [{ token: ['approve'] }, { cookie: ['approve'] }],
    });
  });

  test('has parameters as they are sent', () => {
    expect(operationOf('/v1/things/{thing}', 'get')?.['parameters']).toEqual([
      { name: 'thing', in: 'path', required: true, description: 'which', schema: { type: 'string' } },
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', maximum: 9, default: 5 } },
    ]);
  });

  test('tells what is sent from what is answered: defaults may be left out, and only answers may gain members', () => {
    const properties = { name: { type: 'string' }, size: { type: 'integer', default: 3 } };
    expect(document.components.schemas).toMatchObject({
      Thing: { type: 'object', properties, required: ['name', 'size'] },
      ThingInput: { type: 'object', properties, required: ['name'], additionalProperties: false },
    });
    expect(document.components.schemas['Thing']).not.toHaveProperty('additionalProperties');
    expect(operationOf('/v1/things/{thing}', 'post')).toMatchObject({
      requestBody: { required: true, content: { 'application/json': { schema: refTo('ThingInput') } } },
      responses: { 201: { content: { 'application/json': { schema: refTo('Thing') } } } },
    });
  });

  test('takes a key where something changes, and a range where text is answered', () => {
    const headersOf = (path: string, method: string) =>
      ((operationOf(path, method)?.['parameters'] ?? []) as readonly { readonly in: string; readonly name: string }[])
        .filter((one) => one.in === 'header')
        .map(({ name }) => name);
    expect(headersOf('/v1/things/{thing}', 'post')).toEqual(['Idempotency-Key']);
    expect(headersOf('/v1/things/{thing}', 'get')).toEqual([]);
    expect(headersOf('/v1/text', 'get')).toEqual(['Range']);
  });

  test('has every status that the route may be refused with, and no other', () => {
    const statuses = (path: string, method: string) =>
      Object.keys(operationOf(path, method)?.['responses'] as object).map(Number);
    expect(statuses('/v1/things/{thing}', 'get')).toEqual([200, 400, 401, 403, 404, 421, 429, 500, 503]);
    expect(statuses('/v1/things/{thing}', 'post')).toEqual([
      ...[201, 400, 401, 403, 404, 409, 413, 415, 421, 422, 429, 500, 503],
    ]);
    expect(statuses('/v1/text', 'get')).toEqual([200, 206, 400, 401, 403, 416, 421, 429, 500, 503]);
  });

  test('a schema that holds itself has to have a name', () => {
    type Tree = { readonly inner: readonly Tree[] };
    const tree: z.ZodType<Tree> = z.strictObject({ inner: z.lazy(() => z.array(tree)) });
    const table: Record<string, Route> = {
      tree: shows({ path: '/tree', group: 'Toys', summary: 'A tree' }, json(z.strictObject({ tree }))),
    };
    expect(() => openApi(table, '1')).toThrow('needs a name');
  });
});

describe('the document of the server', () => {
  test('passes a real linter', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const found = await lintFromString({ source: JSON.stringify(openApi(routes, '1.0.0')), config });
    expect(found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual([]);
  });

  test('an operation for every route, and nothing beside them', () => {
    const operations = Object.entries(openApi(routes, '1.0.0').paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => [one['operationId'], `${method.toUpperCase()} ${path}`]),
    );
    const table: Readonly<Record<string, Route>> = routes;
    expect(Object.fromEntries(operations)).toEqual(
      Object.fromEntries(Object.entries(table).map(([name, { method, path }]) => [name, `${method} ${path}`])),
    );
  });
});

const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });
