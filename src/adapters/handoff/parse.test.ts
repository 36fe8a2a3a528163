import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseHandoff } from './parse.ts';
import { parseHandoffBySchema as bySchema } from './schema.ts';

const text = fc.oneof(
  fc.string(),
  fc.constant(''),
  fc.integer({ min: 998, max: 1002 }).map((length) => 'x'.repeat(length)),
  fc.integer({ min: 3998, max: 4002 }).map((length) => 'x'.repeat(length)),
  fc.integer({ min: 198, max: 202 }).map((length) => 'x'.repeat(length)),
);
const anything = fc.oneof(
  text,
  fc.array(fc.oneof(text, fc.integer()), { maxLength: 3 }),
  fc.constant(null),
  fc.integer(),
);
const list = fc.oneof(fc.array(text, { maxLength: 3 }), fc.constant(Array(201).fill('x')), anything);
const word = fc.oneof(fc.constantFrom('clear', 'pass', 'healthy', 'satisfied', 'delta', 'BLOCKED'), anything);
const report = fc.record(
  {
    word,
    findings: list,
    dimensions: fc.oneof(fc.dictionary(fc.constantFrom('live', 'docs', 'cost'), word), anything),
    environments: fc.oneof(fc.dictionary(fc.oneof(fc.constantFrom('prod', 'eu.1', '-x'), text), word), anything),
    approvals: list,
    targets: list,
    benchmarks: list,
    regressions: fc.oneof(fc.integer({ min: -1, max: 2 }), fc.constantFrom(0.5, 1_000_000, 1_000_001), anything),
    items: list,
    extra: anything,
  },
  { requiredKeys: [] },
);
const reported = fc.record({
  status: fc.constant('done'),
  summary: fc.constant('s'),
  nonce: fc.constant('n'),
  report: fc.oneof(report, fc.record({ word: fc.constantFrom('clear', 'pass'), findings: list }), anything),
});
const nearly = fc.record(
  {
    status: fc.oneof(fc.constantFrom('done', 'partial', 'failed', 'DONE'), anything),
    summary: fc.oneof(text, anything),
    nonce: fc.oneof(text, anything),
    remaining: list,
    files: list,
    proofs: list,
    questions: list,
    claims: fc.oneof(
      fc.record(
        {
          completion: fc.constantFrom('live', 'done'),
          durability: fc.constantFrom('none', 'durable'),
          proof: fc.constantFrom('unit', 'integration', ''),
          docs: fc.constantFrom('owned', null),
          state: fc.constantFrom('met', 'gap'),
          constructor: fc.constant('unit'),
        },
        { requiredKeys: [] },
      ),
      anything,
    ),
    extra: anything,
    __proto__: anything,
  },
  { requiredKeys: [] },
);
const mostly = fc.record({ status: fc.constant('done'), summary: text, nonce: text, files: list });

test('accepts exactly what the published schema accepts, and reads the same from it', () => {
  fc.assert(
    fc.property(fc.oneof(mostly, reported, nearly, fc.jsonValue()), (document) => {
      const bytes = Buffer.from(JSON.stringify(document));
      const [ours, theirs] = [parseHandoff(bytes), bySchema(bytes)];
      expect(ours.ok).toBe(theirs.ok);
      if (ours.ok && theirs.ok) expect(ours.value).toEqual(theirs.value);
    }),
    { numRuns: 2000 },
  );
});

test('never throws on bytes', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void parseHandoff(bytes)));
});
