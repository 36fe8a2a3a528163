import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonSchemas } from '../scripts/reference/json-schemas.ts';
import { handoffLimit, handoffSchema, parseHandoffBySchema } from '../src/adapters/handoff/schema.ts';
import { fitSchema } from '../src/adapters/plan-files/fit-schema.ts';
import { configSchema, planSchema } from '../src/adapters/plan-files/schema.ts';
import { roles } from '../src/domain/plan/plan.ts';

test.each(Object.entries(jsonSchemas()))('schemas/%s is what npm run reference writes', async (name, schema) => {
  const stored = await readFile(new URL(`../schemas/${name}`, import.meta.url), 'utf8');
  expect(JSON.parse(stored)).toEqual(schema);
});

test('F25: published schemas offer only what this version takes; the rest is refused by name', () => {
  const offered = new Ajv2020({ strict: false }).compile(jsonSchemas()['plan.json'] ?? {});
  const plan = (more: object): object => ({ tasks: { a: 'x' }, ...more });
  expect([{ dispatch: 'isolated' }, { repair: null }].map((more) => offered(plan(more)))).toEqual([true, true]);
  for (const more of [{ dispatch: 'worktree' }, { repair: 'claude' }]) {
    expect(offered(plan(more))).toBe(false);
    expect(planSchema.safeParse(plan(more)).success).toBe(true);
  }
});

const id = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,8}$/);
const text = fc.stringMatching(/^[a-z ]{0,6}[a-z]$/);
const some = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 2 });
const keys = (model: Record<string, fc.Arbitrary<unknown>>, required: string[] = []) =>
  fc.record(model, { requiredKeys: required });

const taskKeys = {
  role: fc.constantFrom(...roles),
  agent: fc.oneof(fc.constant('claude'), fc.constant(['codex', 'command'])),
  command: fc.oneof(fc.constant(null), fc.constant(['x', ''])),
  owns: fc.oneof(fc.constant(null), some(text)),
  needs: some(id),
  shares: some(text),
  priority: fc.integer({ min: 0, max: 100 }),
  model: fc.oneof(fc.constant(null), text),
  exit: keys({ completion: text, docs: fc.constant(null) }),
  proofs: some(fc.oneof(text, keys({ path: text, kind: text, for: fc.constantFrom('live', 'durable') }, ['path']))),
  allowEmpty: fc.boolean(),
  skills: some(fc.constantFrom('api', 'Db-1.x', '../x', '', 'a/b')),
};
const task = fc.oneof(text, keys({ do: text, ...taskKeys }, ['do']));
const tasks = fc.oneof(
  fc.dictionary(id, task, { maxKeys: 3 }),
  fc.array(keys({ id, do: text, ...taskKeys }, ['id', 'do']), { maxLength: 2 }),
);
const settings = {
  version: fc.constant(1),
  base: text,
  land: fc.constantFrom('ask', 'auto', 'branch', 'pr', 'wave'),
  agent: taskKeys.agent,
  fence: fc.oneof(
    fc.constant('none'),
    keys({
      mode: fc.constant('auto'),
      network: fc.constantFrom('on', null, ['a.example:443', '*.b']),
      env: fc.constant(['A_1']),
    }),
  ),
  limits: keys({
    parallel: fc.integer({ min: 1, max: 9 }),
    usd: fc.constantFrom(0.5, 3),
    turns: fc.constantFrom(null, 4),
    run: keys({ usd: fc.constant(1) }),
  }),
  taps: keys({ start: fc.constant('wave'), expires: fc.constantFrom('24h', '7d', '1m') }),
  setup: fc.oneof(text, fc.constant(null)),
  checks: some(keys({ name: fc.constant('t 1'), run: text, minutes: fc.constant(3) }, ['name', 'run'])),
  generated: fc.dictionary(text, text, { maxKeys: 2 }),
  protect: some(text),
  block: some(text),
  breaker: fc.constantFrom('normal', 'strict'),
};
const plan = keys({ name: id, ...settings, tasks, waves: some(keys({ name: text, tasks }, ['tasks'])) });
const handoff = keys(
  {
    status: fc.constantFrom('done', 'partial', 'failed'),
    summary: text,
    remaining: some(text),
    files: some(text),
    proofs: some(text),
    questions: some(text),
    claims: keys({ proof: fc.constantFrom('unit', 'live'), docs: fc.constant('owned'), state: fc.constant('met') }),
    nonce: id,
  },
  ['status', 'summary', 'nonce'],
);

const noise = fc.constantFrom<unknown[]>(
  null,
  0,
  1,
  -1,
  1.5,
  2000,
  '',
  ' ',
  'x',
  'A B',
  '../x',
  true,
  [],
  {},
  ['x'],
  [1],
  [null],
  { x: 1 },
  '24h',
  'none',
);

/** Puts something else at a random place: another value, an unknown key, or nothing. */
const mutated = (documents: fc.Arbitrary<unknown>) =>
  fc
    .tuple(
      documents,
      fc.array(fc.tuple(fc.nat(), fc.constantFrom('replace', 'add', 'remove'), noise), { maxLength: 2 }),
    )
    .map(([document, changes]) => {
      const copy = structuredClone(document);
      // a value of its own each time: one that is put into itself would have no end
      for (const [seed, change, value] of changes) mutate(copy, seed, change, structuredClone(value));
      return copy;
    });

function mutate(root: unknown, seed: number, change: string, value: unknown): void {
  const places: [Record<string, unknown>, string][] = [];
  (function collect(node: unknown): void {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      places.push([node as Record<string, unknown>, key]);
      collect((node as Record<string, unknown>)[key]);
    }
  })(root);
  const [parent, key] = places[seed % Math.max(places.length, 1)] ?? [];
  if (!parent || key === undefined) return;
  if (change === 'replace') parent[key] = value;
  else if (change === 'add' && !Array.isArray(parent)) parent[`${key}s`] = value;
  else if (change === 'remove' && !Array.isArray(parent)) delete parent[key];
}

describe('schema and parser agree', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictTypes: false });
  test.each([
    ['plan.json', planSchema, plan],
    ['config.json', configSchema, keys(settings)],
    ['handoff.json', handoffSchema, handoff],
  ] as const)('on what %s takes and refuses', (name, schema, documents) => {
    const validate = ajv.compile(jsonSchemas()[name] as object);
    const outcomes = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(fc.oneof(documents, mutated(documents)), (document) => {
        const parsed = fitSchema<unknown>(schema, document).problems.length === 0;
        expect(validate(document), JSON.stringify({ document, errors: validate.errors })).toBe(parsed);
        outcomes[parsed ? 'taken' : 'refused']++;
      }),
      { numRuns: 1000 },
    );
    // Generators that only ever make one kind would prove nothing.
    expect(Math.min(outcomes.taken, outcomes.refused)).toBeGreaterThan(100);
  });
});

describe('a handoff', () => {
  const given = { status: 'done', summary: 'did it', nonce: 'n' };
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

  test('gets empty lists for what it leaves out', () => {
    expect(parseHandoffBySchema(bytes(given))).toEqual({
      ok: true,
      value: { ...given, remaining: [], files: [], proofs: [], questions: [] },
    });
  });

  test.each<[string, Uint8Array]>([
    ['too long', bytes({ ...given, files: Array(200).fill('x'.repeat(100)) })],
    ['not UTF-8', new Uint8Array([...bytes(given).slice(0, -1), 0xff, 0x7d])],
    ['not JSON', new TextEncoder().encode('STATUS: done')],
    ['of another status', bytes({ ...given, status: 'ready' })],
    ['with another key', bytes({ ...given, approve: true })],
    ['without a nonce', bytes({ status: 'done', summary: 'x' })],
    ['with a summary over its cap', bytes({ ...given, summary: 'x'.repeat(4001) })],
    ['a list', bytes([given])],
  ])('that is %s is refused', (_, value) => {
    expect(parseHandoffBySchema(value).ok).toBe(false);
  });

  test('of exactly the limit is read', () => {
    const padded = `${JSON.stringify(given)}${' '.repeat(handoffLimit)}`.slice(0, handoffLimit);
    expect(parseHandoffBySchema(new TextEncoder().encode(padded)).ok).toBe(true);
  });
});
