import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shallowJson } from './untrusted-json.ts';

const nested = (depth: number, inner = ''): string => '['.repeat(depth) + inner + ']'.repeat(depth);

test('reads what JSON.parse reads', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
      expect(shallowJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('reads nothing that is nested deeper than 200, whatever follows', () => {
  expect(shallowJson(nested(200))).toBeDefined();
  expect([nested(201), nested(1_000_000), `{"a":${nested(200)}}`, '['.repeat(500)].map(shallowJson)).toEqual(
    Array(4).fill(undefined),
  );
});

test('brackets in texts are no depth', () => {
  const text = `${'['.repeat(500)}"\\${'{'.repeat(500)}`;
  expect(shallowJson(JSON.stringify({ text }))).toEqual({ text });
});

test('what is no JSON is undefined', () => {
  expect(['', '{', 'nil', '"', '"\\'].map(shallowJson)).toEqual(Array(5).fill(undefined));
});
